// SPDX-License-Identifier: Apache-2.0
import { runEtcdRestoreOperator } from '../restore-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { storageSettings } from './storage-settings.ts';

await runProgram({
  name: 'etcd-restore-operator',
  flags: {
    ...backupOperatorFlags,
    'listen-addr': { ...backupOperatorFlags['listen-addr'], default: '0.0.0.0:9092' },
    'agent-image': {
      kind: 'string',
      default: '',
      help: "the image with etcd-restore-agent; without it the image of the operator's own pod",
    },
    'scratch-directory': {
      kind: 'string',
      default: '',
      help: 'an empty folder for backups that are on their way; without it they are fetched twice, to verify and to deliver',
    },
  },
  run: async ({ flags, operator }, signal) => {
    const { 'cluster-wide': clusterWide, 'create-crd': createCrd, 'agent-image': agentImage } = flags;
    const options = { clusterWide, createCrd, agentImage, scratchDirectory: flags['scratch-directory'] };
    await runEtcdRestoreOperator({ ...operator, ...options, storage: storageSettings(flags) }, signal);
  },
});
