// SPDX-License-Identifier: Apache-2.0
import { createClient, KubeError, persistentVolumeClaims } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { type Clock, seededRandom, silentLogger, systemClock, VirtualClock } from '@etcd-operator/ports';
import { afterAll, expect, test } from 'vitest';
import type { EtcdCluster } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { installCrd } from '../api/install-crd.ts';
import { labels } from '../api/names.ts';
import { Turns } from '../backup/take/turns.ts';
import { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import { Jobs } from './jobs.ts';
import type { Found } from './observe/observe.ts';
import { restoreFinalizer } from './observe/restore-facts.ts';
import { RestoreReconciler } from './reconciler.ts';
import { Scratch } from './source/scratch.ts';

const server = createApiServer();
const client = createClient(server.transport());
const clock = new VirtualClock();
afterAll(() => server.close());

/** Notes whose secrets are dropped. */
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
  const { look } = await reconcilerOf(secrets, () => left.shift(), used);
  while (left.length > 0) await look();
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
    turns: { read: new Turns(1), move: new Turns(1) },
    isManaged: () => true,
    find,
    storage: {},
    scratch: await Scratch.open(undefined),
    agent: { image: 'i', namespace: 'default', pullSecrets: [] },
    oldOperator: () => undefined,
    event: () => undefined,
  });
  const context = {
    client: used,
    log: silentLogger,
    signal: new AbortController().signal,
    failures: 0,
    fence: () => undefined,
  };
  return { look: () => reconciler.reconcile({ namespace: 'default', name: 'r' }, context) };
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
  const { look } = await reconcilerOf(new ClusterSecrets(clock), () => found, client, time);
  const names = async () => (await claims.list({ namespace: 'default' })).items.map(({ metadata }) => metadata?.name);
  await look();
  isAhead = true;
  expect(await look()).toMatchObject({ milliseconds: 600_000 });
  expect(await names()).toEqual(['kept']);
  await clock.advance(600_000);
  await look();
  expect(await names()).toEqual([]);
});
