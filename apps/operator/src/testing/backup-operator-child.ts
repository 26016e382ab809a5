// SPDX-License-Identifier: Apache-2.0
/** The backup operator as a separate process that may connect to loopback: `node backup-operator-child.ts <kubeconfig>`. */
import { networkDialer } from '@operator-parts/etcd';
import { connect, createClient, loadConfig } from '@operator-parts/kube';
import { createLogger, jsonLines, systemClock, systemRandom } from '@operator-parts/ports';
import { runEtcdBackupOperator } from '../backup-operator.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const ports = { clock: systemClock, random: systemRandom };
const config = await loadConfig({ env: process.env, kubeconfig });
await runEtcdBackupOperator(
  {
    client: createClient(connect(config, ports), { retry: ports }),
    log: createLogger({ clock: systemClock, level: 'info', write: jsonLines(process.stderr) }),
    namespace: 'default',
    identity: 'child',
    leaderElection: false,
    dial: networkDialer,
    storage: { policy: { allowLocal: true } },
  },
  new AbortController().signal,
);
