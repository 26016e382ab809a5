// SPDX-License-Identifier: Apache-2.0
import { runEtcdOperator } from '../cluster-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { chosenControllers } from './chosen-controllers.ts';
import { operatorFlags } from './operator-flags.ts';
import { restoreOperatorFlags } from './restore-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { storageSettings } from './storage-settings.ts';

await runProgram({
  name: 'etcd-operator',
  flags: {
    ...operatorFlags,
    controllers: {
      kind: 'string',
      default: 'cluster',
      help: 'what runs in this process, with commas between: cluster, backup, restore; the flags below are for the last two',
    },
    'backup-directory': backupOperatorFlags['backup-directory'],
    'allow-endpoints': backupOperatorFlags['allow-endpoints'],
    ...restoreOperatorFlags,
  },
  run: async ({ flags, operator, readLog }, signal) => {
    const controllers = chosenControllers(flags.controllers);
    const { 'cluster-wide': clusterWide, 'create-crd': createCrd, 'chaos-level': chaosLevel } = flags;
    const options = { ...operator, readLog, clusterWide, createCrd, chaosLevel };
    if (controllers.join() === 'cluster') return runEtcdOperator(options, signal);
    const { 'agent-image': agentImage, 'scratch-directory': scratchDirectory } = flags;
    const more = { agentImage, scratchDirectory, storage: storageSettings(flags), controllers };
    // Clients of object stores are large: a process without them does not load them.
    const { runOperators } = await import('../all-operators.ts');
    return runOperators({ ...options, ...more }, signal);
  },
});
