// SPDX-License-Identifier: Apache-2.0
import { runEtcdRestoreOperator } from '../restore/restore-operator.ts';
import { operatorFlags } from './operator-flags.ts';
import { runProgram } from './run-program.ts';

const { 'chaos-level': _chaos, 'gc-interval': _gc, ...common } = operatorFlags;

await runProgram({
  name: 'etcd-restore-operator',
  flags: {
    ...common,
    'agent-image': {
      kind: 'string',
      default: '',
      help: "the image with etcd-restore-agent; without it the image of the operator's own pod",
    },
    'backup-directory': {
      kind: 'string',
      default: '',
      help: 'where a volume for storage type Directory is mounted',
    },
  },
  run: async ({ flags, operator }, signal) => {
    const { readLog: _readLog, ...rest } = operator;
    await runEtcdRestoreOperator(
      {
        ...rest,
        clusterWide: flags['cluster-wide'],
        createCrd: flags['create-crd'],
        agentImage: flags['agent-image'],
        ...(flags['backup-directory'] && { storage: { directory: flags['backup-directory'] } }),
      },
      signal,
    );
  },
});
