// SPDX-License-Identifier: Apache-2.0
import { createClient, ignoreNotFound, KubeError, persistentVolumeClaims } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { type Clock, seededRandom, silentLogger, systemClock, VirtualClock } from '@operator-parts/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { installCrd } from '../api/install-crd.ts';
import { annotations, labels } from '../api/names.ts';
import { formatRestoreMarker } from '../api/restore-marker.ts';
import { noGrants } from '../cluster/grants/pod-grants.ts';
import { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import { Jobs } from './jobs.ts';
import type { Found } from './observe/observe.ts';
import { restoreFinalizer } from './observe/restore-facts.ts';
import { RestoreReconciler } from './reconciler.ts';
import { Scratch } from './source/scratch.ts';

const server = createApiServer();
const client = createClient(server.transport());
const clock = new VirtualClock();
afterAll(() => server.close());

/** Records whose Secrets are dropped. */
class WatchedSecrets extends ClusterSecrets {
  readonly forgotten: string[] = [];
  override forget(uid: string): void {
    this.forgotten.push(uid);
    super.forget(uid);
  }
}

const cluster: EtcdCluster = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name: 'c', namespace: 'default', uid: 'cluster' },
  spec: { size: 1 },
};

const restoreWith = (status: EtcdRestore['status']): EtcdRestore => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdRestore',
  metadata: { name: 'r', namespace: 'default', uid: 'restore', generation: 1 },
  spec: { etcdCluster: { name: 'c' }, backupStorageType: 'Directory', directory: { path: 'p' } },
  ...(status && { status }),
});

async function looks(found: readonly (Found | undefined)[], used = client): Promise<readonly string[]> {
  const left = [...found];
  const secrets = new WatchedSecrets(clock);
  const { reconcile } = await reconcilerOf(secrets, () => left.shift(), used);
  while (left.length > 0) await reconcile();
  return secrets.forgotten;
}

async function reconcilerOf(
  secrets: ClusterSecrets,
  find: () => Found | undefined,
  used = client,
  time: Clock = clock,
) {
  const reconciler = new RestoreReconciler({
    ...{ client, clock: time, random: seededRandom(1), secrets, jobs: new Jobs(time) },
    semaphores: { read: new TransferSemaphore(1, clock), move: new TransferSemaphore(1, clock) },
    isManaged: () => true,
    find,
    storage: {},
    fence: () => undefined,
    scratch: await Scratch.open(undefined),
    agent: { image: 'i', namespace: 'default', pullSecrets: [] },
    grants: noGrants,
    coreosOperator: () => undefined,
    event: () => undefined,
  });
  const context = {
    client: used,
    log: silentLogger,
    signal: new AbortController().signal,
    failures: 0,
    fence: () => undefined,
  };
  return { reconcile: () => reconciler.reconcile({ namespace: 'default', name: 'r' }, context) };
}

const around = { cluster, pods: [], volumes: [] };

test('the Secrets of a cluster are dropped when its restore has ended', async () => {
  const ended = restoreWith({ succeeded: true, phase: 'Succeeded', observedGeneration: 1 });
  expect(await looks([{ restore: ended, ...around }])).toEqual(['cluster']);
});

test('the Secrets of a cluster are dropped when its restore is gone', async () => {
  const failed = restoreWith({ succeeded: false, phase: 'Failed', observedGeneration: 1 });
  expect(await looks([{ restore: failed, ...around }, undefined])).toContain('cluster');
  expect(await looks([undefined])).toEqual([]);
});

test('what the API server refuses, as a quota does, is said in the status before it is tried again', async () => {
  const transport = server.transport();
  const refusing = createClient({
    ...transport,
    request: (request) =>
      request.method === 'POST' && request.path.includes('etcdclusters')
        ? Promise.reject(new KubeError('Forbidden', 'exceeded quota: etcd-clusters'))
        : transport.request(request),
  });
  const { signal } = new AbortController();
  await installCrd(etcdRestores, { client, clock: systemClock, log: silentLogger, signal });
  const { metadata = {}, spec } = restoreWith(undefined);
  const { uid: _uid, generation: _generation, ...named } = metadata;
  const restores = client.resource(etcdRestores.resource);
  const made = await restores.create({
    ...restoreWith(undefined),
    metadata: { ...named, finalizers: [restoreFinalizer] },
    spec: { ...spec, clusterSpec: { size: 1 } },
  });
  const source = { generation: 1, path: 'p', bytes: 1, revision: 1, authEnabled: false, verified: 'Pending' } as const;
  const restore = { ...made, status: { succeeded: false, phase: 'Preparing', observedGeneration: 1, source } } as const;
  await expect(looks([{ restore, cluster: undefined, pods: [], volumes: [] }], refusing)).rejects.toThrow('quota');
  const { status } = await restores.get({ namespace: 'default', name: 'r' });
  expect(status?.reason).toContain('exceeded quota: etcd-clusters');
});

test('a wall clock that is set ahead deletes no kept volume before the operator has seen the retention pass', async () => {
  let isAhead = false;
  const time: Clock = {
    now: () => clock.now() + (isAhead ? 86_400_000 : 0),
    monotonic: () => clock.monotonic(),
    schedule: (milliseconds, callback) => clock.schedule(milliseconds, callback),
    sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
  };
  const claims = client.resource(persistentVolumeClaims);
  const claim = await claims.create({
    metadata: {
      ...{
        name: 'kept',
        namespace: 'default',
        labels: { [labels.incarnation]: '1', [labels.keptByRestore]: 'restore' },
      },
      ownerReferences: [
        {
          apiVersion: 'etcd.database.coreos.com/v1beta2',
          kind: 'EtcdCluster',
          name: 'c',
          uid: 'cluster',
          controller: true,
        },
      ],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const completedAt = new Date(clock.now()).toISOString();
  const oldVolumes = { names: ['kept'], delete: '' };
  const ended = { succeeded: true, phase: 'Succeeded', observedGeneration: 1, completedAt, oldVolumes } as const;
  const { spec, ...restore } = restoreWith(ended);
  const available: EtcdCluster = {
    ...cluster,
    metadata: { ...cluster.metadata, generation: 1 },
    status: {
      ...{ incarnation: 1, observedGeneration: 1, size: 1, readySize: 1 },
      conditions: [{ type: 'Available', status: 'True' }],
    },
  };
  const found = {
    restore: { ...restore, spec: { ...spec, oldVolumes: { retention: '10m' } } },
    ...{ cluster: available, pods: [], volumes: [claim] },
  };
  const { reconcile } = await reconcilerOf(new ClusterSecrets(clock), () => found, client, time);
  const names = async () => (await claims.list({ namespace: 'default' })).items.map(({ metadata }) => metadata?.name);
  await reconcile();
  isAhead = true;
  expect(await reconcile()).toMatchObject({ milliseconds: 600_000 });
  expect(await names()).toEqual(['kept']);
  await clock.advance(600_000);
  await reconcile();
  expect(await names()).toEqual([]);
});

test.each([
  ['Succeeded', undefined],
  ['Failed', undefined],
  ['Succeeded', 'volumes are still to go'],
] as const)('a restore that has %s goes when its time to live is over, unless %s', async (phase, keeps) => {
  await installCrd(etcdRestores, { client, clock: systemClock, log: silentLogger, signal: AbortSignal.timeout(5_000) });
  const restores = client.resource(etcdRestores.resource);
  const completedAt = new Date(clock.now()).toISOString();
  const deletedAt = new Date(clock.now() + 86_400_000).toISOString();
  const { spec, metadata, ...rest } = restoreWith(undefined);
  const name = `ttl-${phase.toLowerCase()}-${keeps ? 'kept' : 'goes'}`;
  const created = await restores.create({
    ...rest,
    metadata: { name, namespace: 'default' },
    spec: { ...spec, ttlSecondsAfterFinished: 60 },
  });
  const status = {
    ...{ succeeded: phase === 'Succeeded', reason: '', phase, observedGeneration: 1, completedAt },
    ...(keeps && { oldVolumes: { names: ['v'], delete: '', deletedAt } }),
    conditions: [{ type: 'Complete', status: phase === 'Succeeded' ? 'True' : 'False', reason: phase, message: '' }],
  } as EtcdRestore['status'];
  const found: Found = { restore: { ...created, ...(status && { status }) }, cluster, pods: [], volumes: [] };
  const { reconcile } = await reconcilerOf(new ClusterSecrets(clock), () => found);
  const isThere = async () => {
    const { items } = await restores.list({ namespace: 'default' });
    return items.some((item) => item.metadata?.name === name);
  };
  await reconcile();
  await clock.advance(59_000);
  await reconcile();
  expect(await isThere()).toBe(true);
  await clock.advance(1_000);
  await reconcile();
  expect(await isThere()).toBe(keeps !== undefined);
});

describe('a restore is not ended', () => {
  const { signal } = new AbortController();
  const restores = client.resource(etcdRestores.resource);
  const clusters = client.resource(etcdClusters.resource);
  beforeAll(async () => {
    const installing = { client, clock: systemClock, log: silentLogger, signal };
    await installCrd(etcdRestores, installing);
    await installCrd(etcdClusters, installing);
  });
  beforeEach(async () => {
    const named = { namespace: 'default', name: 'r' };
    await ignoreNotFound(restores.patch(named, { type: 'merge', patch: { metadata: { finalizers: null } } }));
    await ignoreNotFound(restores.delete(named));
    await ignoreNotFound(clusters.delete({ namespace: 'default', name: 'c' }));
  });

  const bare = <T extends EtcdRestore | EtcdCluster>(object: T): T => {
    const { uid: _uid, generation: _generation, ...metadata } = object.metadata ?? {};
    return { ...object, metadata };
  };
  const phase = async () => (await restores.get({ namespace: 'default', name: 'r' })).status?.phase;
  const created = (spec: EtcdRestore['spec'] = restoreWith(undefined).spec) =>
    restores.create(bare({ ...restoreWith(undefined), spec }));
  const withSpec = (spec: Partial<EtcdCluster['spec']>) => bare({ ...cluster, spec: { ...cluster.spec, ...spec } });

  test('by a cache that does not have the EtcdCluster yet, or what its spec says now', async () => {
    const never = withSpec({ recovery: { quorumLoss: 'Never' } });
    const restore = await created({ etcdCluster: { name: 'c' }, source: { survivor: {} } });
    const { metadata } = await clusters.create(withSpec({ recovery: { quorumLoss: 'Manual' } }));
    const member = { ...cluster, ...never, metadata: { ...metadata } };
    const owned = [{ apiVersion: 'v1', kind: 'EtcdCluster', name: 'c', uid: metadata?.uid ?? '', controller: true }];
    const claims = client.resource(persistentVolumeClaims);
    await claims.create({
      metadata: {
        ...{ name: 'left', namespace: 'default', ownerReferences: owned },
        labels: { [labels.app]: 'etcd', [labels.cluster]: 'c', [labels.incarnation]: '1' },
        annotations: { [annotations.clusterId]: 'abc' },
      },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await looks([{ restore, cluster: undefined, pods: [], volumes: [] }]);
    expect(await phase()).toBe('Verifying');
    await looks([{ restore, cluster: member, pods: [], volumes: [] }]);
    expect(await phase()).toBe('Verifying');
    await claims.delete({ namespace: 'default', name: 'left' });
  });

  test('by a cache that does not have the annotation that the restore has set', async () => {
    const restore = await created();
    const startedAt = new Date(clock.now()).toISOString();
    const source = { generation: 1, path: 'p', bytes: 1, sha256: 'ab', revision: 1, authEnabled: false } as const;
    const status = {
      ...{ succeeded: false, phase: 'Isolating', observedGeneration: 1, startedAt },
      source: { ...source, verified: 'Manifest' },
    } as const;
    const started = await restores.status.patch(
      { namespace: 'default', name: 'r' },
      { type: 'merge', patch: { status } },
    );
    const unmarked = await clusters.create(withSpec({}));
    const mark = formatRestoreMarker({
      name: 'r',
      uid: restore.metadata?.uid ?? '',
      from: { incarnation: 1, clusterId: 'abc' },
    });
    const notes = { [annotations.restore]: mark, [annotations.incarnation]: '2', [annotations.usedIncarnation]: '2' };
    await clusters.patch(
      { namespace: 'default', name: 'c' },
      { type: 'merge', patch: { metadata: { annotations: notes } } },
    );
    await looks([{ restore: started, cluster: unmarked, pods: [], volumes: [] }]);
    expect(await phase()).toBe('Isolating');
  });

  test('before what others bring has been missing for ten minutes, and then it is', async () => {
    const restore = await created();
    const source = {
      generation: 1,
      path: 'p',
      bytes: 1,
      revision: 1,
      authEnabled: false,
      verified: 'Pending',
    } as const;
    const status = { succeeded: false, phase: 'Preparing', observedGeneration: 1, source } as const;
    const seen = await restores.status.patch({ namespace: 'default', name: 'r' }, { type: 'merge', patch: { status } });
    const found = { restore: seen, cluster: undefined, pods: [], volumes: [] };
    const { reconcile } = await reconcilerOf(new ClusterSecrets(clock), () => found);
    await reconcile();
    await clock.advance(599_000);
    await reconcile();
    expect(await phase()).toBe('Preparing');
    await clock.advance(1_000);
    await reconcile();
    expect(await phase()).toBe('Failed');
    expect(restore.metadata?.generation).toBe(1);
  });
});
