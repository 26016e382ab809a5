// SPDX-License-Identifier: Apache-2.0
import { runEtcdRestoreOperator } from '../restore-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { restoreOperatorFlags } from './restore-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { storageSettings } from './storage-settings.ts';

await runProgram({
  name: 'etcd-restore-operator',
  flags: {
    ...backupOperatorFlags,
    'listen-addr': { ...backupOperatorFlags['listen-addr'], default: '0.0.0.0:9092' },
    ...restoreOperatorFlags,
  },
  run: async ({ flags, operator }, signal) => {
    const { 'cluster-wide': clusterWide, 'create-crd': createCrd, 'agent-image': agentImage } = flags;
    const options = { clusterWide, createCrd, agentImage, scratchDirectory: flags['scratch-directory'] };
    await runEtcdRestoreOperator({ ...operator, ...options, storage: storageSettings(flags) }, signal);
  },
});
