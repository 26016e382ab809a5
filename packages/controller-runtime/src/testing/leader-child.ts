// SPDX-License-Identifier: Apache-2.0
/**
 * A leader as a separate process, which a test may stop and continue: `node leader-child.ts <port> <ca file> <token>
 * <identity>`. While it leads it creates ConfigMaps and updates one, more concurrently than it has connections, with
 * clients of the manager.
 */
import { readFile } from 'node:fs/promises';
import { configMaps, connect, createClient } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { createManager } from '../index.ts';

const [port, caFile = '', token = '', identity = ''] = process.argv.slice(2);
const transport = connect(
  {
    server: `https://127.0.0.1:${port}`,
    namespace: 'default',
    certificateAuthority: { kind: 'data', pem: await readFile(caFile, 'utf8') },
    credential: { kind: 'token', token },
    source: 'test',
  },
  { connections: 2 },
);
const manager = createManager({
  client: createClient(transport, { retry: {} }),
  leaderElection: {
    leaseName: 'child',
    leaseNamespace: 'default',
    identity,
    leaseDuration: 3000,
    renewDeadline: 2000,
    retryPeriod: 500,
  },
});
let count = 0;
const maps = manager.client.resource(configMaps);
const writeOne = () =>
  maps.create({
    metadata: { namespace: 'default', name: `${identity}-${process.pid}-${count++}`, labels: { by: identity } },
  });
manager.add({
  name: 'writer',
  needsLeader: true,
  run: async (signal) => {
    const writers = Array.from({ length: 40 }, async () => {
      while (!signal.aborted) {
        await writeOne().catch(() => undefined);
        await systemClock.sleep(50).catch(() => undefined);
      }
    });
    await Promise.all(writers);
  },
});
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
// The process stops itself between two turns of its event loop. A stop from outside would sometimes hit the
// microseconds between the last fence check and the system call, at which the process cannot notice it.
process.on('SIGUSR2', () => process.kill(process.pid, 'SIGSTOP'));
// A process that loses the lease ends; its parent starts it again.
await manager.run(stop.signal).catch(() => undefined);
await transport.close();
