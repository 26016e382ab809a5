// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  type KubeObject,
  keyOf,
  keyString,
  leases,
  type Resource,
  type Transport,
} from '@operator-parts/kube';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runOperators } from '../all-operators.ts';
import { type EtcdBackup, etcdBackups } from '../api/etcd-backup.ts';
import { etcdClusters } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { annotations } from '../api/names.ts';
import { isSeen, unseenStatus } from '../api/status/unseen-status.ts';
import { controllerNames } from '../controller-names.ts';
import { ApiServerScene, clusterWith } from '../testing/api-server-scene.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const storage = { directory: { path: 'nothing.here' } };
const kinds: readonly Resource[] = [etcdClusters.resource, etcdBackups.resource, etcdRestores.resource];

/** A write to one of our objects, and its writer. Setting or removing a mark belongs to the handover and does not count as work. */
interface Write {
  readonly who: string;
  readonly object: string;
  readonly isMark: boolean;
}

let scene: ApiServerScene;
let directory: string;
let writes: Write[];
let operators: { readonly stop: AbortController; readonly ended: Promise<void> }[];

beforeEach(async () => {
  scene = await ApiServerScene.open('tenant', 'system', 'system-2');
  directory = await mkdtemp(join(tmpdir(), 'hand-over-'));
  writes = [];
  operators = [];
});
afterEach(async () => {
  for (const { stop } of operators) stop.abort(new Error('the test is over'));
  await Promise.allSettled(operators.map(({ ended }) => ended));
  await scene[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Starts all three operators in one process. The returned function stops them in order. */
function start(
  who: string,
  namespace: string,
  clusterWide: boolean,
  namespaces: readonly string[] = [],
): () => Promise<void> {
  const stop = new AbortController();
  const options = {
    ...{ client: createClient(recorded(who)), log: scene.logger(), namespace, identity: who, clusterWide, namespaces },
    ...{ storage: { directory }, agentImage: 'operator:test', controllers: controllerNames },
    readLog: () => Promise.resolve(''),
    dial: () => Promise.reject(new Error('nothing runs here')),
  };
  const ended = runOperators(options, stop.signal);
  ended.catch(() => undefined);
  operators.push({ stop, ended });
  return async () => {
    stop.abort(new Error('stopped by the test'));
    // An operator that was still starting rejects with the reason of the stop.
    await ended.catch(() => undefined);
  };
}

function recorded(who: string): Transport {
  const inner = scene.server.transport();
  return {
    connect: (request) => inner.connect(request),
    close: () => inner.close(),
    request: (request) => {
      const match = /\/namespaces\/tenant\/(etcd(?:clusters|backups|restores)\/[^/?]+)/.exec(request.path);
      if (match?.[1] && request.method !== 'GET') {
        const isMark = String(request.body).includes(annotations.managedBy);
        writes.push({ who, object: match[1], isMark });
      }
      return inner.request(request);
    },
  };
}

const cluster = (name: string) => clusterWith(name, { size: 1 }, { namespace: 'tenant' });
const backup = (name: string): EtcdBackup => ({
  apiVersion,
  kind: 'EtcdBackup',
  metadata: { name, namespace: 'tenant' },
  spec: { etcdEndpoints: ['http://10.0.0.1:2379'], storageType: 'Directory', ...storage },
});
const restore = (name: string): EtcdRestore => ({
  apiVersion,
  kind: 'EtcdRestore',
  metadata: { name, namespace: 'tenant' },
  spec: { etcdCluster: { name: `${name}-restored` }, backupStorageType: 'Directory', ...storage },
});

async function createAll(name: string): Promise<void> {
  const make = (resource: Resource, object: KubeObject) =>
    scene.until('the kind is served', () =>
      scene.client
        .resource(resource)
        .create(object)
        .catch(() => undefined),
    );
  await make(etcdClusters.resource, cluster(name));
  await make(etcdBackups.resource, backup(name));
  await make(etcdRestores.resource, restore(name));
}

/** Resolves when `who` has worked on every object with this name. */
async function workedOn(name: string, who: string, since = 0): Promise<void> {
  await scene.until(`${who} works on ${name}`, async () => {
    const done = new Set(
      writes.slice(since).flatMap((write) => (write.who === who && !write.isMark ? [write.object] : [])),
    );
    return kinds.every(({ plural }) => done.has(`${plural}/${name}`)) || undefined;
  });
}

const marks = async (name: string) =>
  Promise.all(
    kinds.map(async (resource) => {
      const object = await scene.client.resource(resource).get({ namespace: 'tenant', name });
      return object.metadata?.annotations?.[annotations.managedBy];
    }),
  );

describe('an object has one operator', () => {
  test('a cluster-wide one manages everything, without an annotation, and marks it', async () => {
    start('wide', 'system', true);
    await createAll('a');
    await workedOn('a', 'wide');
    expect(await marks('a')).toEqual(['system', 'system', 'system']);
  }, 60_000);

  test('an operator of the namespace that comes later takes over, and two operators never work on one object', async () => {
    start('wide', 'system', true);
    await createAll('a');
    await workedOn('a', 'wide');
    start('near', 'tenant', false);
    await workedOn('a', 'near');
    expect(await marks('a')).toEqual([undefined, undefined, undefined]);
    const before = writes.length;
    await createAll('b');
    await workedOn('b', 'near', before);
    expect(writes.slice(before).filter(({ who }) => who === 'wide')).toEqual([]);
    expectOneAtATime();
  }, 60_000);

  test('one process manages several namespaces, and leaves the others alone', async () => {
    start('several', 'system', false, ['tenant', 'system-2']);
    await createAll('a');
    await workedOn('a', 'several');
    const elsewhere = clusterWith('b', { size: 1 }, { namespace: 'system' });
    await scene.clusters.create(elsewhere);
    const second = await scene.clusters.create(clusterWith('b', { size: 1 }, { namespace: 'system-2' }));
    await scene.until('a status', async () => isSeen((await scene.clusters.get(keyOf(second))).status) || undefined);
    expect((await scene.clusters.get(keyOf(elsewhere))).status).toEqual(unseenStatus);
    expect(await marks('a')).toEqual([undefined, undefined, undefined]);
    const held = await scene.client.resource(leases).list();
    expect(held.items.map((lease) => keyString(keyOf(lease))).sort()).toEqual(
      ['system-2', 'tenant'].flatMap((namespace) =>
        ['etcd-backup-operator', 'etcd-operator', 'etcd-restore-operator'].map((name) => `${namespace}/${name}`),
      ),
    );
  }, 60_000);

  test('of two cluster-wide ones the first has it', async () => {
    start('wide', 'system', true);
    await createAll('a');
    await workedOn('a', 'wide');
    start('wide-2', 'system-2', true);
    await createAll('b');
    await scene.until(
      'b is worked on',
      async () => writes.some(({ object, isMark }) => object === 'etcdclusters/b' && !isMark) || undefined,
    );
    expect(writes.filter(({ who, object }) => who === 'wide-2' && object.endsWith('/a'))).toEqual([]);
    const workers = kinds.map(({ plural }) => new Set(workersOf(`${plural}/b`)).size);
    expect(Math.max(...workers)).toBe(1);
  }, 60_000);

  test('started at the same moment, in any order, with objects that come meanwhile', async () => {
    const random = seededRandom(11);
    for (let round = 0; round < 5; round++) {
      const wait = () => systemClock.sleep(Math.floor(random.next() * 120));
      const stops: (() => Promise<void>)[] = [];
      const begin = [
        async () => void stops.push(start('wide', 'system', true)),
        async () => void stops.push(start('near', 'tenant', false)),
        () => createAll(`r${round}`),
      ];
      if (random.next() < 0.5) begin.reverse();
      await Promise.all(begin.map((act) => wait().then(act)));
      await workedOn(`r${round}`, 'near');
      for (const stop of stops) await stop();
      expectOneAtATime();
      writes.length = 0;
    }
  }, 120_000);
});

const workersOf = (object: string) =>
  writes.flatMap((write) => (write.object === object && !write.isMark ? [write.who] : []));

/** Checks that the cluster-wide operator no longer works on an object once the operator of the namespace does. */
function expectOneAtATime(): void {
  const objects = [...new Set(writes.map((write) => write.object))];
  const isTakenBack = (object: string) => {
    const workers = workersOf(object);
    return workers.includes('near') && workers.slice(workers.indexOf('near')).includes('wide');
  };
  expect(objects.filter(isTakenBack)).toEqual([]);
}
