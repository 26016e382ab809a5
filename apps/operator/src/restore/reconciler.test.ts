// SPDX-License-Identifier: Apache-2.0
import { createClient, KubeError } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { seededRandom, silentLogger, systemClock, VirtualClock } from '@etcd-operator/ports';
import { afterAll, expect, test } from 'vitest';
import type { EtcdCluster } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { installCrd } from '../api/install-crd.ts';
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
  const reconciler = new RestoreReconciler({
    ...{ client, clock, random: seededRandom(1), secrets, jobs: new Jobs(clock) },
    turns: { read: new Turns(1), move: new Turns(1) },
    isManaged: () => true,
    find: () => left.shift(),
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
  while (left.length > 0) await reconciler.reconcile({ namespace: 'default', name: 'r' }, context);
  return secrets.forgotten;
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
