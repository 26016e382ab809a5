// SPDX-License-Identifier: Apache-2.0
import { createClient, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { seededRandom, silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../../api/etcd-restore.ts';
import { installCrd } from '../../api/install-crd.ts';
import { annotations, labels } from '../../api/names.ts';
import { restoreFinalizer } from '../observe/restore-facts.ts';
import type { RestoreStep } from '../plan/step.ts';
import { act } from './act.ts';
import type { ActContext } from './act-context.ts';

const server = createApiServer();
const client = createClient(server.transport());
const restores = client.resource(etcdRestores.resource);

beforeAll(async () => {
  const signal = AbortSignal.timeout(60_000);
  await installCrd(etcdClusters, { client, clock: systemClock, log: silentLogger, signal });
  await installCrd(etcdRestores, { client, clock: systemClock, log: silentLogger, signal });
});
afterAll(() => server.close());

function contextOf(restore: EtcdRestore): ActContext {
  const nothing = () => undefined;
  return {
    client,
    random: seededRandom(1),
    restore,
    cluster: undefined,
    desired: undefined,
    source: undefined,
    revisionBump: 0,
    tlsKeys: { peer: 'own', server: 'own', client: 'own' },
    agent: { image: 'i', namespace: 'default', pullSecrets: [] },
    jobs: {
      ...{ inspect: nothing, verify: nothing, save: nothing, deliver: nothing, hold: nothing, compare: nothing },
      write: nothing,
    },
    signal: new AbortController().signal,
  };
}

test('[99] an EtcdRestore that is gone when it is to get its finalizer stops there: a mark would be left on the cluster for ever', async () => {
  const key = { namespace: 'default', name: 'short-lived' };
  const seen = await restores.create({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: key,
    spec: { backupStorageType: 'S3', etcdCluster: { name: 'c' }, s3: { path: 'b/k', awsSecret: 'aws' } },
  });
  await restores.delete(key);
  await expect(act({ do: 'addFinalizer' }, contextOf(seen))).rejects.toThrow('not found');
  // The finalizer is removed in both cases.
  const finalizers = [restoreFinalizer];
  await act({ do: 'removeFinalizer' }, contextOf({ ...seen, metadata: { ...seen.metadata, finalizers } }));
});

test('operator rule 3: the version that a cluster was bootstrapped with is that of its incarnation: cleared, restored, or that of the restored member', async () => {
  const key = { namespace: 'default', name: 'c' };
  const clusters = client.resource(etcdClusters.resource);
  await clusters.create({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { ...key, annotations: { [annotations.bootstrapVersion]: '3.6.16' } },
    spec: { size: 1, version: '3.7.3' },
  });
  const restore: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { namespace: 'default', name: 'r', uid: 'r1' },
    spec: { backupStorageType: 'S3', etcdCluster: { name: 'c' } },
  };
  const take = async (step: RestoreStep) => {
    await act(step, { ...contextOf(restore), cluster: await clusters.get(key) });
    return (await clusters.get(key)).metadata?.annotations?.[annotations.bootstrapVersion];
  };
  const from = { incarnation: 1, clusterId: 'c1', bootstrapVersion: '3.6.16' };
  const mark = { do: 'mark', marker: { name: 'r', uid: 'r1', from }, incarnation: 2 } as const;
  expect(await take(mark)).toBeUndefined();
  expect(await take({ do: 'unmark', back: from })).toBe('3.6.16');
  await take(mark);
  // Created with an older minor version; the spec has a newer one since.
  const record = { do: 'recordIdentity', clusterId: 'c2', incarnation: 2 } as const;
  expect(await take({ ...record, bootstrapVersion: '3.5.35' })).toBe('3.5.35');
  expect(await take({ ...record, bootstrapVersion: '' })).toBeUndefined();
});

test('a volume of the previous incarnation is labelled as kept by the restore, and only the one that was seen', async () => {
  const key = { namespace: 'default', name: 'old' };
  const claims = client.resource(persistentVolumeClaims);
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  const { metadata } = await claims.create({ metadata: key, spec });
  const restore = { metadata: { namespace: 'default', name: 'r', uid: 'r1' } } as EtcdRestore;
  await expect(act({ do: 'keepVolume', name: 'old', uid: 'another' }, contextOf(restore))).rejects.toThrow('uid');
  await act({ do: 'keepVolume', name: 'old', uid: metadata?.uid ?? '' }, contextOf(restore));
  expect((await claims.get(key)).metadata?.labels).toEqual({ [labels.keptByRestore]: 'r1' });
});

test('restoring is turned off before an identity is anywhere: the etcd-operator may manage the new incarnation at once', async () => {
  const key = { namespace: 'default', name: 'seed' };
  const containers = [{ name: 'etcd', image: 'i' }];
  const { metadata = {} } = await client.resource(pods).create({ metadata: key, spec: { containers } });
  const { uid = '', resourceVersion = '' } = metadata;
  const step = { do: 'settleSeed', name: 'seed', uid, resourceVersion, clusterId: 'c', memberId: 'm' } as const;
  const context = contextOf({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { ...key, uid: 'r' },
    spec: { backupStorageType: 'S3', etcdCluster: { name: 'c' } },
  });
  const notes = async () => (await client.resource(pods).get(key)).metadata?.annotations;
  // As after an interruption: there is no such volume.
  await expect(act({ ...step, volumeUid: 'gone' }, context)).rejects.toThrow('not found');
  expect(await notes()).toEqual({ [annotations.restoreSwitch]: '--help' });
  // Another restore has begun meanwhile.
  await expect(act({ ...step, volumeUid: undefined }, context)).rejects.toMatchObject({ code: 'Conflict' });
  const now = (await client.resource(pods).get(key)).metadata?.resourceVersion ?? '';
  await act({ ...step, resourceVersion: now, volumeUid: undefined }, context);
  expect(await notes()).toMatchObject({ [annotations.clusterId]: 'c', [annotations.memberId]: 'm' });
});

test('a volume that took the place of the seed’s own is not given its identity', async () => {
  const key = { namespace: 'default', name: 'replaced' };
  const containers = [{ name: 'etcd', image: 'i' }];
  const { metadata = {} } = await client.resource(pods).create({ metadata: key, spec: { containers } });
  const { uid = '', resourceVersion = '' } = metadata;
  const claims = client.resource(persistentVolumeClaims);
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  const blank = await claims.create({ metadata: key, spec });
  const step = { do: 'settleSeed', name: key.name, uid, resourceVersion, clusterId: 'c', memberId: 'm' } as const;
  const context = contextOf({ metadata: { ...key, uid: 'r' } } as EtcdRestore);
  await expect(act({ ...step, volumeUid: 'the-one-before' }, context)).rejects.toThrow('uid');
  expect((await claims.get(key)).metadata?.annotations).toBeUndefined();
  const now = (await client.resource(pods).get(key)).metadata?.resourceVersion ?? '';
  await act({ ...step, resourceVersion: now, volumeUid: blank.metadata?.uid ?? '' }, context);
  expect((await claims.get(key)).metadata?.annotations).toMatchObject({ [annotations.clusterId]: 'c' });
});
