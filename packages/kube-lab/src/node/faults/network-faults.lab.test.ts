// SPDX-License-Identifier: Apache-2.0
import { type Pod, pods, services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeImage } from '../../images/host-image.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';

const namespace = 'default';
const soon = { timeout: 60_000, interval: 50 };
/** An unanswered lookup ends soon. */
const dnsConfig = {
  options: [
    { name: 'timeout', value: '1' },
    { name: 'attempts', value: '1' },
  ],
};
/** Answers every connection with one word after it has received one. */
const serve = 'net.createServer((s) => s.once("data", () => s.end("pong"))).listen(8080)';
/** Connects to each given address, and prints how many milliseconds the answer took, or the error. */
const ask = `
  const one = (host, port) => new Promise((resolve) => {
    const begun = performance.now();
    const socket = net.connect({ host, port: Number(port) }, () => socket.write('ping'));
    socket.setTimeout(1500, () => { socket.destroy(); resolve('silence'); });
    socket.on('data', () => resolve(Math.round(performance.now() - begun)));
    socket.on('error', (error) => resolve(error.code));
  });
  (async () => {
    const results = [];
    for (const target of process.env.TARGETS.split(',')) results.push(await one(...target.split(':')));
    process.stdout.write(JSON.stringify(results), () => process.exit());
  })();
`;

let lab: Lab;
let address: string;
let count = 0;

beforeAll(async () => {
  const image = (argv: string) => ({ latest: nodeImage({ directories: [], argv: ['-e', argv] }) });
  const images = createImageTable([
    { repositories: ['server'], tags: image(serve) },
    { repositories: ['asker'], tags: image(ask) },
  ]);
  lab = await startLab({ nodes: 2, images });
  const client = lab.client();
  const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
  const metadata = { namespace, name: 'server', labels: { app: 'server' } };
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'server', readinessProbe }] };
  await client.resource(pods).create({ metadata, spec });
  const ports = [{ port: 80, targetPort: 8080 }];
  await client
    .resource(services)
    .create({ metadata: { namespace, name: 'server' }, spec: { selector: { app: 'server' }, ports } });
  const ready = ({ status }: Pod) => status?.containerStatuses?.[0]?.ready === true;
  while (!ready(await client.resource(pods).get(metadata))) await new Promise((resolve) => setTimeout(resolve, 50));
  address = (await client.resource(pods).get(metadata)).status?.podIP ?? '';
});

afterAll(() => lab?.stop());

/** The answers of the server to a new pod on the other node, directly and through its Service. */
async function results(): Promise<readonly (number | string)[]> {
  count += 1;
  const metadata = { namespace, name: `asker-${count}` };
  const env = [{ name: 'TARGETS', value: `${address}:8080,server:80` }];
  const containers = [{ name: 'main', image: 'asker', env }];
  await lab
    .client()
    .resource(pods)
    .create({ metadata, spec: { nodeName: 'node-2', restartPolicy: 'Never', containers, dnsConfig } });
  const phase = async () => (await lab.client().resource(pods).get(metadata)).status?.phase;
  await expect.poll(phase, soon).toBe('Succeeded');
  const pod = await lab.client().resource(pods).get(metadata);
  const options = { container: 'main', follow: false, previous: false, timestamps: false };
  let text = '';
  const log = await lab.proxy.log(pod, options, new AbortController().signal);
  for await (const bytes of log) text += Buffer.from(bytes).toString();
  return JSON.parse(text) as (number | string)[];
}

/** The slow results. One attempt may be slow because others use this machine; in a slow network every one is. */
async function slowResults(): Promise<readonly (number | string)[]> {
  return (await results()).filter((result) => typeof result === 'string' || result >= 400);
}

describe('the network', () => {
  test('is fast when nothing is wrong', async () => {
    await expect.poll(slowResults, soon).toEqual([]);
  });

  test('has the latency that is asked for, with or without the help of the kernel', async () => {
    await using _slow = await lab.faults.network.slow(
      { pod: { namespace, name: 'server' } },
      { latencyMilliseconds: 250 },
    );
    // One attempt may time out because others use this machine.
    await expect.poll(async () => Number((await results())[0]), soon).toBeGreaterThan(490);
  });

  test('is fast again afterwards', async () => {
    await expect.poll(slowResults, soon).toEqual([]);
  });

  test('that is cut does not answer, through a service too, in one direction as in both', async () => {
    const both = await lab.faults.network.cut({ node: 'node-1' }, { node: 'node-2' });
    await expect.poll(results, soon).toEqual(['silence', 'silence']);
    await both.heal();
    await using _way = await lab.faults.network.cut({ node: 'node-1' }, { node: 'node-2' }, { oneWay: true });
    await expect.poll(results, soon).toEqual(['silence', 'silence']);
  });

  test('that is cut at one port does not answer there, also through a service, and nowhere else', async () => {
    const [asker, server] = [{ node: 'node-2' }, { pod: { namespace, name: 'server' } }] as const;
    const elsewhere = await lab.faults.network.cut(asker, server, { oneWay: true, port: 8081 });
    await expect.poll(slowResults, soon).toEqual([]);
    await elsewhere.heal();
    await using _here = await lab.faults.network.cut(asker, server, { oneWay: true, port: 8080 });
    await expect.poll(results, soon).toEqual(['silence', 'silence']);
  });

  test('without DNS still has its addresses', async () => {
    const fault = await lab.faults.network.cut({ node: 'node-2' }, 'dns');
    await expect.poll(results, soon).toEqual([expect.any(Number), expect.any(String)]);
    await fault.heal();
    await expect.poll(slowResults, soon).toEqual([]);
  });
});
