// SPDX-License-Identifier: Apache-2.0
/**
 * The figures the API server is held to: writes in process, and one unpaged list of many pods over HTTPS. Bounded in size and
 * time. Run with `node packages/kube-lab/bench/api-server.ts`.
 */

import { get } from 'node:https';
import { createClient, type Pod, pods, type Transport } from '@etcd-operator/kube';
import { createApiServer } from '../src/server/api-server.ts';

const writes = 5000;
const listed = 10_000;

/** A pod of about three kilobytes as the server stores it. */
function pod(name: string): Pod {
  const env = Array.from({ length: 12 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: `value-of-variable-${index}`,
  }));
  return {
    metadata: { name, namespace: 'default', labels: { app: 'bench', name } },
    spec: { containers: [{ name: 'main', image: 'example.com/image:1.2.3', env }] },
  };
}

async function sizeOf(transport: Transport): Promise<number> {
  const { body } = await transport.request({ method: 'GET', path: '/api/v1/namespaces/default/pods/p-0' });
  let size = 0;
  for await (const piece of body) size += piece.length;
  return size;
}

function download(url: string, caPem: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { ca: caPem, headers: { authorization: `Bearer ${token}` } };
    get(`${url}/api/v1/pods`, options, (response) => {
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(size) : reject(new Error(`${response.statusCode}`)),
      );
    }).on('error', reject);
  });
}

const server = createApiServer({ authorization: 'allow-all' });
const transport = server.transport();
const client = createClient(transport).resource(pods);
for (let index = 0; index < 500; index++) await client.create(pod(`warm-${index}`));

/** Runs `count` writes one after the other. Time of the CPU is told beside time of the clock: machines are shared. */
async function measure(name: string, count: number, write: (index: number) => Promise<unknown>): Promise<void> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  for (let index = 0; index < count; index++) await write(index);
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rates = [count / wall, count / ((user + system) / 1e6)].map(Math.round);
  process.stdout.write(`${name}: ${rates[0]} writes/s, ${rates[1]} per second of CPU\n`);
}

await measure('create', writes, (index) => client.create(pod(`p-${index}`)));
process.stdout.write(`objects of ${await sizeOf(transport)} bytes\n`);

await measure('patch', writes, (index) => {
  const key = { namespace: 'default', name: `p-${index}` };
  return client.patch(key, { type: 'merge', patch: { metadata: { labels: { round: 'two' } } } });
});

for (let index = writes + 500; index < listed; index++) await client.create(pod(`l-${index}`));
const { url, caPem } = await server.listen();
const account = await createClient(transport)
  .resource({ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true })
  .subresource<{ status: { token: string } }>('token')
  .create({ namespace: 'default', name: 'default' }, { spec: {} });
for (const round of ['first', 'second']) {
  const start = performance.now();
  const size = await download(url, caPem, account.status.token);
  const took = Math.round(performance.now() - start);
  process.stdout.write(`${round} list of ${listed} pods over HTTPS: ${took} ms, ${(size / 1e6).toFixed(1)} MB\n`);
}
const before = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, 2000));
const idle = process.cpuUsage(before);
process.stdout.write(`idle for 2 s: ${Math.round((idle.user + idle.system) / 1000)} ms of CPU\n`);
await server.close();
