// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events, persistentVolumeClaims, pods, secrets } from '@operator-parts/kube';
import { createLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EtcdRestore, type EtcdRestoreSpec, etcdRestores } from '../api/etcd-restore.ts';
import { installCrd } from '../api/install-crd.ts';
import { annotations } from '../api/names.ts';
import { runEtcdRestoreOperator } from '../restore-operator.ts';
import { ApiServerScene, clusterWith } from '../testing/api-server-scene.ts';
import { databaseFile } from './testing/database-file.ts';

/** Both operators manage all namespaces. No pods run, but all objects up to the new member's pod can be checked. */
let scene: ApiServerScene;
let directory = '';
const stop = new AbortController();
let ended: Promise<void> | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cluster-wide-'));
  await mkdir(join(directory, 'tenant'));
  await writeFile(join(directory, 'tenant', 'etcd.backup'), await databaseFile());
  scene = await ApiServerScene.open('tenant', 'other');
  await scene.installCrd();
  const log = createLogger({ clock: systemClock, level: 'debug', write: (record) => scene.log.push(record) });
  const { client } = scene;
  await installCrd(etcdRestores, { client, clock: systemClock, log, signal: stop.signal });
  scene.start({ clusterWide: true });
  ended = runEtcdRestoreOperator(
    {
      ...{ client, log, namespace: 'default', identity: 'restore', leaderElection: false, clusterWide: true },
      ...{ createCrd: false, agentImage: 'operator:test', storage: { directory } },
      dial: () => Promise.reject(new Error('nothing runs here')),
    },
    stop.signal,
  );
  ended.catch(() => undefined);
});
afterAll(async () => {
  stop.abort(new Error('the test ends the restore operator'));
  await ended?.catch(() => undefined);
  await scene?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const clusterwide = { [annotations.scope]: 'clusterwide' };
const namespaced = { [annotations.scope]: 'namespaced' };
const fromDirectory = { backupStorageType: 'Directory', directory: { path: 'etcd.backup' } };

async function restore(
  namespace: string,
  name: string,
  spec: Partial<EtcdRestoreSpec>,
  notes: Readonly<Record<string, string>> = clusterwide,
) {
  const object: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace, annotations: notes },
    spec: { etcdCluster: { name }, clusterSpec: { size: 1, version: '3.6.16' }, ...fromDirectory, ...spec },
  };
  await scene.client.resource(etcdRestores.resource).create(object);
  return {
    until: (what: string, isSo: (status: NonNullable<EtcdRestore['status']>) => boolean) =>
      scene.until(
        `${namespace}/${name} ${what}`,
        async () => {
          const { status } = await scene.client.resource(etcdRestores.resource).get({ namespace, name });
          return status && isSo(status) ? status : undefined;
        },
        180_000,
      ),
  };
}

const podNames = async (namespace: string) =>
  (await scene.client.resource(pods).list({ namespace })).items.map(({ metadata }) => metadata?.name ?? '');

test('cluster-wide: everything of a restore is in its own namespace, and the cluster it makes belongs to the same operator', async () => {
  await scene.clusters.create(
    clusterWith('example', { size: 1, paused: true }, { namespace: 'other', annotations: namespaced }),
  );
  const before = await scene.clusters.get({ namespace: 'other', name: 'example' });
  const made = await restore('tenant', 'example', {});
  await made.until('makes its first member', ({ phase }) => phase === 'Seeding');
  await scene.until('a seed', async () => (await podNames('tenant'))[0]);
  const { metadata } = await scene.clusters.get({ namespace: 'tenant', name: 'example' });
  expect(metadata?.annotations).toMatchObject(clusterwide);
  expect((await scene.client.resource(secrets).list({ namespace: 'tenant' })).items).toHaveLength(1);
  for (const namespace of ['default', 'other']) {
    expect(await podNames(namespace)).toEqual([]);
    expect((await scene.client.resource(secrets).list({ namespace })).items).toEqual([]);
    expect((await scene.client.resource(persistentVolumeClaims).list({ namespace })).items).toEqual([]);
  }
  expect(await scene.clusters.get({ namespace: 'other', name: 'example' })).toEqual(before);
});

test('cluster-wide, security rule 5: stores and Secrets of another namespace are out of reach', async () => {
  const data = { credentials: Buffer.from('[default]\n').toString('base64') };
  await scene.client.resource(secrets).create({ metadata: { name: 'aws', namespace: 'tenant' }, data });
  const foreignFile = await restore('other', 'foreign-file', {});
  const foreignSecret = await restore('other', 'foreign-secret', {
    backupStorageType: 'S3',
    s3: { path: 'bucket/etcd.backup', awsSecret: 'aws' },
  });
  const { reason } = await foreignFile.until('ended', ({ phase }) => phase === 'Failed');
  expect(reason).toContain('etcd.backup');
  // The Secret may still be created; until then nothing is changed.
  const isMissing = (said = '') => said.includes('secret aws does not exist');
  await foreignSecret.until('has no Secret', (status) => isMissing(status.reason));
  await expect(scene.clusters.get({ namespace: 'other', name: 'foreign-secret' })).rejects.toThrow('not found');
  expect(await podNames('other')).toEqual([]);
});

test('cluster-wide, security rule 5: a cluster of another namespace is not copied, whatever its name is written like', async () => {
  const where = { namespace: 'other', annotations: namespaced };
  await scene.clusters.create(clusterWith('victim', { size: 1, paused: true }, where));
  const before = await scene.clusters.get({ namespace: 'other', name: 'victim' });
  const nothing = { backupStorageType: undefined, directory: undefined } as unknown as Partial<EtcdRestoreSpec>;
  for (const cluster of ['other/victim', '../../other/etcdclusters/victim', '..', '.', ''])
    await expect(restore('tenant', 'refused', { ...nothing, source: { cluster } })).rejects.toMatchObject({
      code: 'Invalid',
    });
  for (const [index, cluster] of ['victim', 'victim.other'].entries()) {
    const copy = await restore('tenant', `copy-${index}`, { ...nothing, source: { cluster } });
    const { reason = '' } = await copy.until('is refused', (said) => said.phase === 'Failed' || !!said.reason);
    expect(reason).toMatch(/does not exist|not found/);
    await expect(scene.clusters.get({ namespace: 'tenant', name: `copy-${index}` })).rejects.toThrow('not found');
  }
  expect((await podNames('tenant')).filter((name) => name.startsWith('copy'))).toEqual([]);
  expect(await podNames('other')).toEqual([]);
  expect(await scene.clusters.get({ namespace: 'other', name: 'victim' })).toEqual(before);
}, 180_000);

test('cluster-wide: while no etcd-operator manages the cluster, the restore waits and begins nothing', async () => {
  await scene.clusters.create(
    clusterWith('plain', { size: 1, paused: true }, { namespace: 'tenant', annotations: namespaced }),
  );
  const marked = await restore('tenant', 'plain', {});
  await marked.until(
    'waits',
    ({ reason }) => reason?.includes('waiting for the etcd-operator to suspend reconciliation') ?? false,
  );
  expect((await podNames('tenant')).filter((name) => name.startsWith('plain'))).toEqual([]);
});

test('a Secret without the label for backups is reported by an event, with the command that labels it', async () => {
  const data = {
    credentials: Buffer.from('[default]\naws_access_key_id = a\naws_secret_access_key = b\n').toString('base64'),
  };
  await scene.client.resource(secrets).create({ metadata: { name: 'unlabelled', namespace: 'tenant' }, data });
  const s3 = { path: 'bucket/key', awsSecret: 'unlabelled', endpoint: 'http://127.0.0.1:1' };
  await restore('tenant', 'unlabelled', { backupStorageType: 'S3', s3 });
  const found = await scene.until('event', async () => {
    const { items } = await scene.client.resource(events).list({ namespace: 'tenant' });
    return items.find(({ reason }) => reason === 'SecretUnlabelled');
  });
  expect(found.message).toContain(
    'kubectl label secret --namespace tenant unlabelled etcd.database.coreos.com/use=backup',
  );
});
