// SPDX-License-Identifier: Apache-2.0
import { runEtcdRestoreOperator } from '../restore-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { podFlags, podGrants } from './pod-flags.ts';
import { restoreOperatorFlags } from './restore-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { scopeOptions } from './scope-flags.ts';
import { storageSettings } from './storage-settings.ts';

// This flag is not needed: a restore connects only to members of its own EtcdCluster.
const { 'allow-etcd-endpoints': _, ...storageFlags } = backupOperatorFlags;

await runProgram({
  name: 'etcd-restore-operator',
  flags: {
    ...storageFlags,
    'listen-addr': { ...backupOperatorFlags['listen-addr'], default: '0.0.0.0:9092' },
    ...restoreOperatorFlags,
    ...podFlags,
  },
  run: async ({ flags, operator }, signal) => {
    const { 'create-crd': createCrd, 'agent-image': agentImage } = flags;
    const options = { ...scopeOptions(flags), createCrd, agentImage, scratchDirectory: flags['scratch-directory'] };
    await runEtcdRestoreOperator(
      { ...operator, ...options, storage: storageSettings(flags, process.env), grants: podGrants(flags) },
      signal,
    );
  },
});
