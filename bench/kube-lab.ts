// SPDX-License-Identifier: Apache-2.0
import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type ConfigMap,
  configMaps,
  createClient,
  type Pod,
  pods,
  serviceAccounts,
} from '@operator-parts/kube';
import { type ApiServer, createApiServer, startLab } from '@operator-parts/kube-lab';
import type { Benchmark } from './benchmark.ts';
import { verdict } from './verdict.ts';

const writes = 5000;
const warmUps = 1500;
const listed = 10_000;
const idleMilliseconds = 5000;

/** The figures of kube-lab. It has no peer: measurements are divided by fixed limits. */
export const kubeLab: Benchmark = {
  id: 'LAB',
  title: 'kube-lab: writes in process, a list of many pods over HTTPS, and what it costs to do nothing',
  async run(report, signal) {
    const idle = await idleShare(signal);
    report(`idle: ${(100 * idle).toFixed(2)} % of a core`);
    const server = createApiServer({ authorization: 'allow-all' });
    try {
      const client = createClient(server.transport());
      const rates = await writeRates(client, report, signal);
      const seconds = await listSeconds(server, client, report, signal);
      return verdict(
        { ...rates, [`seconds for ${listed} pods in one list`]: seconds, 'share of a core when idle': idle },
        {
          'small objects created, per 5000/s of CPU': { atLeast: 1 },
          'small objects patched, per 5000/s of CPU': { atLeast: 1 },
          [`seconds for ${listed} pods in one list`]: { atMost: 1 },
          'share of a core when idle': { atMost: 0.02 },
        },
      );
    } finally {
      await server.close();
    }
  },
};

/** The CPU share of an idle lab: API server, controllers and their timers. */
async function idleShare(signal: AbortSignal): Promise<number> {
  await using _lab = await startLab({ nodes: 0 });
  await sleep(1000, undefined, { signal });
  const before = process.cpuUsage();
  await sleep(idleMilliseconds, undefined, { signal });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / idleMilliseconds;
}

async function writeRates(client: Client, report: (line: string) => void, signal: AbortSignal) {
  const podClient = client.resource(pods);
  const mapClient = client.resource(configMaps);
  const key = (name: string) => ({ namespace: 'default', name });
  const relabel = { type: 'merge', patch: { metadata: { labels: { round: 'two' } } } } as const;
  const status = podClient.subresource('status');
  // Compilers and allocators run first.
  for (let index = 0; index < warmUps; index++) {
    const made = await podClient.create(pod(`warm-${index}`));
    await status.patch(key(`warm-${index}`), running);
    await podClient.patch(key(`warm-${index}`), relabel);
    await podClient.replace(annotated(made));
    await mapClient.create(small(`warm-${index}`));
    await mapClient.patch(key(`warm-${index}`), relabel);
  }
  const made: Pod[] = [];
  const kinds: readonly (readonly [string, (index: number) => Promise<unknown>])[] = [
    ['small objects created', (index) => mapClient.create(small(`s-${index}`))],
    ['small objects patched', (index) => mapClient.patch(key(`s-${index}`), relabel)],
    ['pods of 3 kB created', async (index) => made.push(await podClient.create(pod(`p-${index}`)))],
    ['pods of 3 kB patched', (index) => podClient.patch(key(`p-${index}`), relabel)],
    ['statuses of pods patched', (index) => status.patch(key(`p-${index}`), running)],
    ['pods of 3 kB replaced', (index) => podClient.replace(annotated(made[index] as Pod))],
  ];
  const rates: Record<string, number> = {};
  for (const [name, write] of kinds) {
    const perSecond = await perCpuSecond(write, signal);
    report(`${name}: ${Math.round(perSecond)} per second of CPU`);
    rates[`${name}, per 5000/s of CPU`] = perSecond / 5000;
  }
  return rates;
}

/** Sequential writes, by CPU time: the clock would include other load on the machine. */
async function perCpuSecond(write: (index: number) => Promise<unknown>, signal: AbortSignal): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < writes; index++) {
    signal.throwIfAborted();
    await write(index);
  }
  const { user, system } = process.cpuUsage(before);
  return writes / ((user + system) / 1e6);
}

async function listSeconds(
  server: ApiServer,
  client: Client,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  for (let index = writes + warmUps; index < listed; index++) await client.resource(pods).create(pod(`l-${index}`));
  const { url, caPem } = await server.listen();
  const { status } = await client
    .resource(serviceAccounts)
    .subresource<{ status: { token: string } }>('token')
    .create({ namespace: 'default', name: 'default' }, { spec: {} });
  const begun = performance.now();
  const before = process.cpuUsage();
  const size = await download(`${url}/api/v1/pods`, caPem, status.token, signal);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1e6).toFixed(2);
  report(
    `list of ${listed} pods: ${seconds.toFixed(2)} s, ${cpu} s of CPU for both ends, ${(size / 1e6).toFixed(1)} MB`,
  );
  return seconds;
}

function download(url: string, ca: string, token: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { ca, signal, headers: { authorization: `Bearer ${token}` } }, (response) => {
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(size) : reject(new Error(`the list was answered ${response.statusCode}`)),
      );
    }).on('error', reject);
  });
}

/** A pod of about three kilobytes as stored by the server. */
function pod(name: string): Pod {
  const env = Array.from({ length: 12 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-of-${index}` }));
  return {
    metadata: { name, namespace: 'default', labels: { app: 'bench', name } },
    spec: { containers: [{ name: 'main', image: 'example.com/image:1.2.3', env }] },
  };
}

/** The object with the next version and one more field. */
function annotated(made: Pod): Pod {
  const { resourceVersion: _version, ...metadata } = made.metadata ?? {};
  return { ...made, metadata: { ...metadata, annotations: { round: 'three' } } };
}

const since = '2026-01-01T00:00:00Z';

/** A kubelet's status of a started pod. */
const running = {
  type: 'strategic',
  patch: {
    status: {
      phase: 'Running',
      startTime: since,
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: since,
      })),
      containerStatuses: [
        {
          name: 'main',
          image: 'example.com/image:1.2.3',
          imageID: 'example.com/image@sha256:0',
          ready: true,
          restartCount: 0,
          state: { running: { startedAt: since } },
          lastState: {},
        },
      ],
    },
  },
} as const;

function small(name: string): ConfigMap {
  return { metadata: { name, namespace: 'default', labels: { app: 'bench' } }, data: { a: 'x'.repeat(200) } };
}
