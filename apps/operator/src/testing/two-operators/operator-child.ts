// SPDX-License-Identifier: Apache-2.0
/**
 * The etcd-operator with the controllers of clusters and backups as a separate process. All its requests go through recording proxies of
 * its own: `node operator-child.ts <ChildOptions as JSON>`.
 */
import { connect as connectTcp } from 'node:net';
import { connect, createClient } from '@operator-parts/kube';
import { createLogger, jsonLines, systemClock, systemRandom } from '@operator-parts/ports';
import { runOperators } from '../../all-operators.ts';

/** What the child process needs to reach the API server and the members through the proxies of the test. */
export interface ChildOptions {
  readonly identity: string;
  /** Port on loopback of the proxy through which the child process reaches the API server. */
  readonly api: number;
  /** Port of the `RecordingRelay` to members. */
  readonly members: number;
  /** The address that all host names of stores resolve to. */
  readonly store: string;
}

const { identity, api, members, store } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const ports = { clock: systemClock, random: systemRandom };
const transport = connect(
  { server: `http://127.0.0.1:${api}`, namespace: 'default', credential: { kind: 'none' }, source: 'test' },
  ports,
);
await runOperators(
  {
    controllers: ['cluster', 'backup'],
    client: createClient(transport, { retry: ports }),
    log: createLogger({ clock: systemClock, level: 'info', write: jsonLines(process.stderr) }),
    namespace: 'default',
    identity,
    readLog: () => Promise.resolve(''),
    healthInterval: 500,
    leaseTimes: { leaseDuration: 2000, renewDeadline: 1500, retryPeriod: 300 },
    storage: { policy: { allowLocal: true, resolve: async () => [store] } },
    dial: async ({ host, port }) => {
      const socket = connectTcp(members, '127.0.0.1');
      socket.write(`${host} ${port}\n`);
      return socket;
    },
  },
  new AbortController().signal,
);
