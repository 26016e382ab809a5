// SPDX-License-Identifier: Apache-2.0
import { createClient, pods } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { seededRandom, silentLogger, systemClock } from '@etcd-operator/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EtcdRestore, etcdRestores } from '../../api/etcd-restore.ts';
import { installCrd } from '../../api/install-crd.ts';
import { annotations } from '../../api/names.ts';
import { restoreFinalizer } from '../observe/restore-facts.ts';
import { act } from './act.ts';
import type { ActContext } from './act-context.ts';

const server = createApiServer();
const client = createClient(server.transport());
const restores = client.resource(etcdRestores.resource);

beforeAll(async () => {
  const signal = AbortSignal.timeout(60_000);
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
    jobs: { inspect: nothing, verify: nothing, save: nothing, deliver: nothing },
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
  // What is taken off is taken off either way.
  const finalizers = [restoreFinalizer];
  await act({ do: 'removeFinalizer' }, contextOf({ ...seen, metadata: { ...seen.metadata, finalizers } }));
});

test('restoring is turned off before an identity is anywhere: the etcd-operator may take the new life up at once', async () => {
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
  // Cut short: there is no such volume.
  await expect(act({ ...step, onVolume: true }, context)).rejects.toThrow('not found');
  expect(await notes()).toEqual({ [annotations.restoreSwitch]: '--help' });
  // Another has begun meanwhile.
  await expect(act({ ...step, onVolume: false }, context)).rejects.toMatchObject({ code: 'Conflict' });
  const now = (await client.resource(pods).get(key)).metadata?.resourceVersion ?? '';
  await act({ ...step, resourceVersion: now, onVolume: false }, context);
  expect(await notes()).toMatchObject({ [annotations.clusterId]: 'c', [annotations.memberId]: 'm' });
});
