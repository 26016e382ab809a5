// SPDX-License-Identifier: Apache-2.0
import type { ReconcileContext } from '@operator-parts/controller-runtime';
import { keyOf, leases } from '@operator-parts/kube';
import { silentLogger, VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { annotations } from '../api/names.ts';
import { ApiServerScene, clusterWith } from '../testing/api-server-scene.ts';
import type { Claims } from './claims.ts';
import type { Claim } from './judge.ts';
import { Responsibility } from './responsibility.ts';

let scene: ApiServerScene;
let clock: VirtualClock;
let context: ReconcileContext;
/** The claim on the namespace, according to the cache of the cluster-wide operator. */
let cached: Claim;

beforeEach(async () => {
  scene = await ApiServerScene.open('tenant');
  await scene.installCrd();
  clock = new VirtualClock();
  cached = { kind: 'none' };
  told = [];
  const { signal } = new AbortController();
  context = { client: scene.client, signal, log: silentLogger, fence: () => undefined, failures: 0 };
});
afterEach(() => scene[Symbol.asyncDispose]());

let told: string[];
const events = { record: (_object: unknown, _type: string, reason: string) => void told.push(reason) };
const resource = etcdClusters.resource;

function clusterWide(): Responsibility<EtcdCluster> {
  const claims: Pick<Claims, 'of' | 'ofLease'> = {
    of: () => cached,
    ofLease: (_key, lease) => (lease?.spec?.holderIdentity ? { kind: 'held', by: 'near' } : { kind: 'none' }),
  };
  const others = { claims, leaseName: 'etcd-operator', clusterWideLeaseName: 'etcd-operator-cluster-wide' };
  const reach = { kind: 'cluster', onlyAnnotated: false } as const;
  return new Responsibility(resource, { clock, events, home: 'system', reach, others });
}

const namespaced = () => new Responsibility(resource, { clock, events, home: 'tenant', reach: { kind: 'namespace' } });
const create = () => scene.clusters.create(clusterWith('a', { size: 1 }, { namespace: 'tenant' }));
const settle = (who: Responsibility<EtcdCluster>, object: EtcdCluster) =>
  who.settle(object, context, () => Promise.resolve());
const present = (object: EtcdCluster) => scene.clusters.get(keyOf(object));
const markOf = async (object: EtcdCluster) => (await present(object)).metadata?.annotations?.[annotations.managedBy];

test('a Lease that its cache does not show yet makes a cluster-wide operator take its mark back', async () => {
  const object = await create();
  const metadata = { namespace: 'tenant', name: 'etcd-operator' };
  await scene.client.resource(leases).create({ metadata, spec: { holderIdentity: 'near' } });
  const wide = clusterWide();
  await settle(wide, object);
  await settle(wide, await present(object));
  expect(wide.isOurs(object)).toBe(false);
  expect(await markOf(object)).toBeUndefined();
});

test('a mark is believed only after the Lease was read, however often that fails', async () => {
  const object = await create();
  const wide = clusterWide();
  await settle(wide, object);
  const marked = await present(object);
  const { client } = context;
  const broken: ReconcileContext['client'] = {
    ...client,
    resource: ((kind: never) => {
      if (kind === (leases as never)) throw new Error('connection reset');
      return client.resource(kind);
    }) as typeof client.resource,
  };
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(wide.settle(marked, { ...context, client: broken }, () => Promise.resolve())).rejects.toThrow('reset');
    expect(wide.isOurs(marked)).toBe(false);
  }
  await settle(wide, marked);
  expect(wide.isOurs(marked)).toBe(true);
});

test('the next leader does not believe a mark that only its cache has', async () => {
  const object = await create();
  await settle(clusterWide(), object);
  const marked = await present(object);
  await scene.clusters.patch(keyOf(object), {
    type: 'merge',
    patch: { metadata: { annotations: { [annotations.managedBy]: null } } },
  });
  const next = clusterWide();
  await settle(next, marked);
  expect(next.isOurs(marked)).toBe(false);
});

test('time in which the object was not wanted does not make a mark abandoned', async () => {
  const object = await create();
  await settle(clusterWide(), object);
  const annotate = (scope: string | null) =>
    scene.clusters.patch(keyOf(object), {
      type: 'merge',
      patch: { metadata: { annotations: { [annotations.scope]: scope } } },
    });
  const near = namespaced();
  await settle(near, await annotate('clusterwide'));
  await clock.advance(300_000);
  await settle(near, await present(object));
  expect(await settle(near, await annotate(null))).toBe(5000);
  expect(near.isOurs(object)).toBe(false);
  expect(await markOf(object)).toBe('system');
});

test('a verdict is of one object with one annotation, not of whatever has its name later', async () => {
  const object = await create();
  const near = namespaced();
  await settle(near, object);
  expect(near.isOurs(object)).toBe(true);
  expect(near.isOurs({ metadata: { ...object.metadata, uid: 'another' } })).toBe(false);
  expect(near.isOurs({ metadata: { ...object.metadata, annotations: { [annotations.scope]: 'clusterwide' } } })).toBe(
    false,
  );
});

test('marks read from data that was replaced are forgotten', async () => {
  const object = await create();
  await settle(clusterWide(), object);
  const near = namespaced();
  await settle(near, object);
  expect(near.isOurs(object)).toBe(false);
  await scene.clusters.patch(keyOf(object), {
    type: 'merge',
    patch: { metadata: { annotations: { [annotations.managedBy]: null } } },
  });
  near.forgetServerData();
  await settle(near, object);
  expect(near.isOurs(object)).toBe(true);
});

test('a mark that its cache does not show yet makes an operator of the namespace wait', async () => {
  const object = await create();
  await settle(clusterWide(), object);
  expect(await markOf(object)).toBe('system');
  const near = namespaced();
  expect(await settle(near, object)).toBe(5000);
  expect(near.isOurs(object)).toBe(false);
});

test('it waits until the mark is gone, however late its cache hears of that', async () => {
  const object = await create();
  const [wide, near] = [clusterWide(), namespaced()];
  await settle(wide, object);
  await settle(near, object);
  const marked = await present(object);
  await settle(near, marked);
  expect(near.isOurs(object)).toBe(false);
  cached = { kind: 'held', by: 'near' };
  await settle(wide, marked);
  expect(wide.isOurs(object)).toBe(false);
  await settle(near, await present(object));
  expect(near.isOurs(object)).toBe(true);
});

test('what is under way ends before an object is handed over', async () => {
  const object = await create();
  const wide = clusterWide();
  await settle(wide, object);
  await settle(wide, await present(object));
  expect(wide.isOurs(object)).toBe(true);
  cached = { kind: 'held', by: 'near' };
  const seen: unknown[] = [];
  await wide.settle(await present(object), context, async () => {
    seen.push(wide.isOurs(object), await markOf(object));
  });
  expect(seen).toEqual([false, 'system']);
});

test('the mark of an operator that does not run any more is in the way for two minutes', async () => {
  const object = await create();
  await settle(clusterWide(), object);
  const near = namespaced();
  await settle(near, await present(object));
  await clock.advance(119_000);
  expect(await settle(near, await present(object))).toBe(5000);
  await clock.advance(1000);
  await settle(near, await present(object));
  await settle(near, await present(object));
  expect(near.isOurs(object)).toBe(true);
  expect(await markOf(object)).toBeUndefined();
});

test('whoever waits for an operator that was uninstalled is told once, and is not told of a hand-over of seconds', async () => {
  const object = await create();
  const wide = clusterWide();
  cached = { kind: 'lapsed', by: 'the operator in namespace tenant' };
  const tellings: number[] = [];
  for (let second = 0; second < 60; second += 5) {
    expect(await settle(wide, object)).toBe(5000);
    tellings.push(told.length);
    await clock.advance(5_000);
  }
  expect(tellings).toEqual([0, 0, ...Array<number>(10).fill(1)]);
  expect(told).toEqual(['WaitingForOperator']);
  cached = { kind: 'none' };
  await settle(wide, object);
  expect(await markOf(object)).toBe('system');
});

test('an object that has changed meanwhile is not marked', async () => {
  const object = await create();
  await scene.clusters.patch(keyOf(object), { type: 'merge', patch: { spec: { size: 3 } } });
  const wide = clusterWide();
  await expect(settle(wide, object)).rejects.toMatchObject({ code: 'Conflict' });
  expect(wide.isOurs(object)).toBe(false);
});
