// SPDX-License-Identifier: Apache-2.0
import { runEtcdOperator } from '../cluster-operator.ts';
import { operatorFlags } from './operator-flags.ts';
import { runProgram } from './run-program.ts';

await runProgram({
  name: 'etcd-operator',
  flags: operatorFlags,
  run: async ({ flags, operator, readLog }, signal) => {
    await runEtcdOperator(
      {
        ...operator,
        readLog,
        clusterWide: flags['cluster-wide'],
        createCrd: flags['create-crd'],
        chaosLevel: flags['chaos-level'],
      },
      signal,
    );
  },
});
