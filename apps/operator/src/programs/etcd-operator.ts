// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { runEtcdOperator } from '../cluster-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { chosenControllers } from './chosen-controllers.ts';
import { operatorFlags } from './operator-flags.ts';
import { podFlags, podGrants } from './pod-flags.ts';
import { restoreOperatorFlags } from './restore-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { scopeOptions } from './scope-flags.ts';

await runProgram({
  name: 'etcd-operator',
  flags: {
    ...operatorFlags,
    ...podFlags,
    'install-crds': {
      kind: 'boolean',
      default: false,
      help: 'install and update the CustomResourceDefinitions of all kinds, then exit',
    },
    controllers: {
      kind: 'string',
      default: 'cluster',
      help: 'controllers that run in this process, separated by commas: cluster, backup, restore; the flags below are for backup and restore',
    },
    'backup-directory': backupOperatorFlags['backup-directory'],
    'allow-endpoints': backupOperatorFlags['allow-endpoints'],
    'allow-etcd-endpoints': backupOperatorFlags['allow-etcd-endpoints'],
    'require-secret-label': backupOperatorFlags['require-secret-label'],
    'path-prefix': backupOperatorFlags['path-prefix'],
    'ambient-credentials': backupOperatorFlags['ambient-credentials'],
    ...restoreOperatorFlags,
  },
  run: async ({ flags, operator, readLog }, signal) => {
    if (flags['install-crds']) {
      const { installCrds } = await import('../api/install-crds.ts');
      return installCrds({ ...operator, clock: systemClock, signal });
    }
    const controllers = chosenControllers(flags.controllers);
    const { 'create-crd': createCrd, 'chaos-level': chaosLevel } = flags;
    const options = { ...operator, ...scopeOptions(flags), readLog, createCrd, chaosLevel, grants: podGrants(flags) };
    if (controllers.join() === 'cluster') return runEtcdOperator(options, signal);
    const { 'agent-image': agentImage, 'scratch-directory': scratchDirectory } = flags;
    // The clients of object stores are large, so a process that does not need them does not load them.
    const { endpointSettings } = await import('./endpoint-settings.ts');
    const { storageSettings } = await import('./storage-settings.ts');
    const { runOperators } = await import('../all-operators.ts');
    const settings = {
      storage: storageSettings(flags, process.env),
      endpoints: endpointSettings(flags, process.env),
    };
    const more = { agentImage, scratchDirectory, ...settings, controllers };
    return runOperators({ ...options, ...more }, signal);
  },
});
