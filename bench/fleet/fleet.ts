// SPDX-License-Identifier: Apache-2.0
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import { crdOf } from '@operator-parts/crd';
import { StubEtcd } from '@operator-parts/etcd/testing';
import { type Client, createClient, customResourceDefinitions, pods } from '@operator-parts/kube';
import { type ApiServer, createApiServer } from '@operator-parts/kube-lab';
import type { Benchmark } from '../benchmark.ts';
import { scaled } from '../runtime/scale.ts';
import { median, verdict } from '../verdict.ts';
import { OperatorProcess } from './operator-process.ts';
import { StubKubelet } from './stub-kubelet.ts';

const version = '3.6.16';
const restSeconds = 20;
/** A lease is renewed every two seconds; watches are reopened from time to time. */
const restRequestsPerMinute = 45;

/**
 * B12: one operator and many clusters with three members each. It has no peer: figures are compared with fixed limits.
 */
export const fleet: Benchmark = {
  id: 'B12',
  title: 'fleet: 1, 100 and 1,000 clusters of three members, stubs of etcd, the operator in its own process',
  async run(report, signal) {
    const figures: Record<string, number> = {};
    for (const count of sizes()) {
      const found = await withFleet(count, report, signal);
      for (const [name, value] of Object.entries(found)) figures[`${name}, ${count} clusters`] = value;
    }
    const bars = {
      'MB resident, 1 clusters': { atMost: 90 },
      'MB resident, 100 clusters': { atMost: 128 },
      'MB resident, 1000 clusters': { atMost: 400 },
      'API requests a minute at rest, 1 clusters': { atMost: restRequestsPerMinute },
      'API requests a minute at rest, 100 clusters': { atMost: restRequestsPerMinute },
      'API requests a minute at rest, 1000 clusters': { atMost: restRequestsPerMinute },
      'seconds for a change of every spec, 1000 clusters': { atMost: 30 },
    };
    return verdict(figures, Object.fromEntries(Object.entries(bars).filter(([name]) => name in figures)));
  },
};

/** Each size has its own bars: a smaller run skips the large ones, and BENCH_FLEET=1000 all but that one. */
function sizes(): readonly number[] {
  const only = process.env['BENCH_FLEET']?.split(',').map(Number);
  return [1, 100, 1000].filter((size) => only?.includes(size) ?? size <= scaled(1000));
}

async function withFleet(
  count: number,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const server = createApiServer({ authorization: 'allow-all' });
  const client = createClient(server.transport());
  await using etcd = new StubEtcd(version);
  const kubelet = new StubKubelet(server, etcd);
  try {
    await client.resource(customResourceDefinitions).create(crdOf(etcdClusters));
    const { kubeconfig } = await server.listen();
    await create(client, count);
    await using operator = await OperatorProcess.start(kubeconfig);
    const started = performance.now();
    const check = () => {
      kubelet.check();
      operator.check();
    };
    await until(() => available(server) === count, check, signal, count);
    const bootstrapped = (performance.now() - started) / 1000;
    report(
      `${count} clusters: available after ${bootstrapped.toFixed(1)} s and ${operator.cpuSeconds().toFixed(1)} s of CPU, peak ${operator.peakMegabytes().toFixed(0)} MB`,
    );
    const rest = await atRest(operator, etcd, signal);
    const { megabytes, requests, calls, cpu } = rest;
    report(
      `${count} clusters at rest: ${megabytes.toFixed(0)} MB, ${requests.toFixed(0)} API requests, ${calls.toFixed(0)} etcd calls and ${cpu.toFixed(1)} s of CPU a minute`,
    );
    report(`${count} clusters at rest: ${rest.kinds}`);
    const before = operator.cpuSeconds();
    const changed = await changeAll(server, client, check, signal);
    const spent = operator.cpuSeconds() - before;
    report(
      `${count} clusters: a change of every spec has reached every pod after ${changed.toFixed(1)} s and ${spent.toFixed(1)} s of CPU`,
    );
    return {
      'MB resident': megabytes,
      'API requests a minute at rest': requests,
      'seconds for a change of every spec': changed,
    };
  } finally {
    kubelet.stop();
    await server.close();
  }
}

const nameOf = (index: number) => `fleet-${index}`;

async function create(client: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const cluster: EtcdCluster = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdCluster',
      metadata: { name: nameOf(index), namespace: 'default' },
      spec: { size: 3, version },
    };
    await client.resource(etcdClusters.resource).create(cluster);
  }
}

function available(server: ApiServer): number {
  return server.feed.list(etcdClusters.resource).filter(isSettled).length;
}

function isSettled({ metadata, spec, status }: EtcdCluster): boolean {
  const isAvailable = status?.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True');
  const isDone = status?.readySize === spec.size && (status.plan?.next?.length ?? 0) === 0;
  return Boolean(isAvailable) && isDone && status?.observedGeneration === metadata?.generation;
}

/** The cost of an idle fleet: only the operator uses HTTPS, because this program is in the server's process. */
async function atRest(operator: OperatorProcess, etcd: StubEtcd, signal: AbortSignal) {
  await sleep(15_000, undefined, { signal });
  const kinds: string[] = [];
  const count = (message: unknown) => {
    const { method, url } = (message as { readonly request: IncomingMessage }).request;
    kinds.push(`${method} ${kindOf(url ?? '')}`);
  };
  subscribe('http.server.request.start', count);
  const before = { calls: etcd.calls, cpu: operator.cpuSeconds() };
  const samples: number[] = [];
  try {
    for (let second = 0; second < restSeconds; second++) {
      await sleep(1000, undefined, { signal });
      samples.push(operator.residentMegabytes());
    }
  } finally {
    unsubscribe('http.server.request.start', count);
  }
  const minutes = restSeconds / 60;
  return {
    megabytes: median(samples),
    requests: kinds.length / minutes,
    kinds: Object.entries(Object.groupBy(kinds, (kind) => kind))
      .map(([kind, all = []]) => `${all.length} ${kind}`)
      .join(', '),
    calls: (etcd.calls - before.calls) / minutes,
    cpu: (operator.cpuSeconds() - before.cpu) / minutes,
  };
}

/** The subject of a path without the names of objects: `pods`, `etcdclusters/status`, `leases (watch)`. */
function kindOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'https://api');
  const [resource = '', , subresource] = pathname
    .replace(/^\/apis?\/(?:[^/]+\/)?v[^/]+\/(?:namespaces\/[^/]+\/)?/, '')
    .split('/');
  return `${subresource ? `${resource}/${subresource}` : resource}${searchParams.has('watch') ? ' (watch)' : ''}`;
}

/** Changes a label in all clusters at once; done when every pod has it. */
async function changeAll(server: ApiServer, client: Client, check: () => void, signal: AbortSignal): Promise<number> {
  const clusters = server.feed.list(etcdClusters.resource);
  const started = performance.now();
  await Promise.all(
    clusters.map(({ metadata }) =>
      client
        .resource(etcdClusters.resource)
        .patch(
          { namespace: 'default', name: metadata?.name ?? '' },
          { type: 'merge', patch: { spec: { pod: { labels: { wave: 'one' } } } } },
        ),
    ),
  );
  const isEverywhere = () =>
    server.feed.list(pods).filter(({ metadata }) => metadata?.labels?.['wave'] === 'one').length ===
    3 * clusters.length;
  await until(isEverywhere, check, signal, clusters.length);
  return (performance.now() - started) / 1000;
}

/** Polls rarely, because each poll is long: the server is in this process. Has a time limit. */
async function until(isSo: () => boolean, check: () => void, signal: AbortSignal, count: number): Promise<void> {
  const seconds = 120 + count;
  const limit = performance.now() + seconds * 1000;
  while (!isSo()) {
    check();
    if (performance.now() > limit) throw new Error(`not within ${seconds} s`);
    await sleep(count > 100 ? 500 : 100, undefined, { signal });
  }
}
