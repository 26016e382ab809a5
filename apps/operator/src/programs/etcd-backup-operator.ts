// SPDX-License-Identifier: Apache-2.0
import { runEtcdBackupOperator } from '../backup-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { storageSettings } from './storage-settings.ts';

await runProgram({
  name: 'etcd-backup-operator',
  flags: backupOperatorFlags,
  run: async ({ flags, operator }, signal) => {
    const { 'cluster-wide': clusterWide, 'create-crd': createCrd } = flags;
    await runEtcdBackupOperator({ ...operator, clusterWide, createCrd, storage: storageSettings(flags) }, signal);
  },
});
