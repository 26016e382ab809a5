// SPDX-License-Identifier: Apache-2.0
import { runEtcdBackupOperator } from '../backup-operator.ts';
import { backupOperatorFlags } from './backup-operator-flags.ts';
import { endpointSettings } from './endpoint-settings.ts';
import { podFlags, podGrants } from './pod-flags.ts';
import { restoreOperatorFlags } from './restore-operator-flags.ts';
import { runProgram } from './run-program.ts';
import { scopeOptions } from './scope-flags.ts';
import { storageSettings } from './storage-settings.ts';

// A proof (test restore of a stored backup) starts a member. The member's image has to be allowed like that of any other member.
const proofFlags = {
  'agent-image': restoreOperatorFlags['agent-image'],
  'allow-repositories': podFlags['allow-repositories'],
};

await runProgram({
  name: 'etcd-backup-operator',
  flags: { ...backupOperatorFlags, ...proofFlags },
  run: async ({ flags, operator }, signal) => {
    const options = {
      ...operator,
      ...scopeOptions(flags),
      createCrd: flags['create-crd'],
      agentImage: flags['agent-image'],
    };
    const storage = storageSettings(flags, process.env);
    // The pod of a proof never uses what these flags allow, whatever the spec says, so they are empty.
    const none = { 'allow-privileged-pods': '', 'allow-sidecars': '', 'allow-service-accounts': '' };
    const grants = podGrants({ ...flags, ...none });
    const endpoints = endpointSettings(flags, process.env);
    await runEtcdBackupOperator({ ...options, storage, grants, endpoints }, signal);
  },
});
