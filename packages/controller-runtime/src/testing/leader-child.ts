// SPDX-License-Identifier: Apache-2.0
/**
 * A leader as a process of its own, which a test may stop and continue: `node leader-child.ts <port> <ca file> <token> <identity>`.
 * While it leads it creates ConfigMaps and rewrites one, more at a time than it has connections for, through clients of the manager.
 */
import { readFile } from 'node:fs/promises';
import { configMaps, connect, createClient } from '@etcd-operator/kube';
import { systemClock } from '@etcd-operator/ports';
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
// It stops itself between two turns of its event loop. Of a stop between the last look at the fence and the system call that follows,
// microseconds later in the same turn, no process can know anything; at this rate of writes a stop from outside meets it now and then.
process.on('SIGUSR2', () => process.kill(process.pid, 'SIGSTOP'));
// Who lost the lease ends, and is started again by whoever started it.
await manager.run(stop.signal).catch(() => undefined);
await transport.close();
