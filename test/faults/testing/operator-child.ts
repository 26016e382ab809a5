// SPDX-License-Identifier: Apache-2.0
/**
 * The three operators as one process whose every request goes through doors: `node operator-child.ts <ChildOptions as JSON>`. Without
 * a lease, so that a successor begins at once: safety may not depend on it.
 */
import { connect as connectTcp } from 'node:net';
import { podLogReader, runEtcdBackupOperator, runEtcdOperator, runEtcdRestoreOperator } from '@etcd-operator/operator';
import { connect, createClient } from '@operator-parts/kube';
import { createLogger, jsonLines, systemClock, systemRandom } from '@operator-parts/ports';

/** Where its doors are, and what it may use. */
export interface ChildOptions {
  readonly namespace: string;
  /** By which name faults find its requests. */
  readonly userAgent: string;
  /** Ports of its doors to the API server and to members. */
  readonly api: number;
  readonly members: number;
  readonly agentImage: string;
  /** Holds the backups that are restored. */
  readonly directory: string;
  readonly scratchDirectory: string;
}

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const { namespace, userAgent, api, members, agentImage, directory, scratchDirectory } = options;
const ports = { clock: systemClock, random: systemRandom };
const server = { server: `http://127.0.0.1:${api}`, namespace, credential: { kind: 'none' }, source: 'test' } as const;
const transport = connect(server, ports);
const operator = {
  client: createClient(transport, { retry: ports, userAgent }),
  log: createLogger({ clock: systemClock, level: 'debug', write: jsonLines(process.stderr) }),
  namespace,
  identity: userAgent,
  leaderElection: false,
  storage: { directory, policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] } },
  dial: async ({ host, port }: { readonly host: string; readonly port: number }) => {
    const socket = connectTcp(members, '127.0.0.1');
    socket.write(`${host} ${port}\n`);
    return socket;
  },
};
const { signal } = new AbortController();
await Promise.all([
  runEtcdOperator({ ...operator, readLog: podLogReader(transport), healthInterval: 500 }, signal),
  runEtcdBackupOperator({ ...operator, agentImage }, signal),
  runEtcdRestoreOperator({ ...operator, agentImage, scratchDirectory }, signal),
]);
