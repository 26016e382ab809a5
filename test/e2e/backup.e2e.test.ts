// SPDX-License-Identifier: Apache-2.0
/** Backup and restore on a real kubelet with a real S3 server, with the single process of deploy/base. */
import { join } from 'node:path';
import { rights } from '@etcd-operator/tools/deploy';
import { refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { BackupScene } from './testing/scenes/backup-scene.ts';
import { root } from './testing/scenes/manifests.ts';
import { etcdCluster } from './testing/scenes/operator-scene.ts';
import { until } from './testing/until.ts';

const name = 'kept';
let here: BackupScene;

beforeAll(async () => {
  here = await BackupScene.open('backup', name);
  await here.scene.kubectl('apply', '--kustomize', join(root, 'deploy/base'));
  await here.scene.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
  await here.scene.create(etcdCluster(name, { size: 3, version: '3.6.16' }));
  await here.untilHealthy();
});

afterAll(() => here?.[Symbol.asyncDispose]());

test('a backup is in the bucket, with its version and revision in its status (C-30)', async () => {
  await here.put('foo', 'bar');
  await here.whileWriting(async () => {
    await here.createBackup('one', 'kept/one');
    const status = await here.untilSucceeded('etcdbackup', 'one');
    expect(status).toMatchObject({ etcdVersion: '3.6.16' });
    expect(status.etcdRevision).toBeGreaterThan(1);
    expect(await here.store.keys()).toContain('kept/one');
  });
});

test('periodic backups come, and the oldest go (C-32)', async () => {
  const backupPolicy = { backupIntervalInSecond: 3, maxBackups: 2 };
  await here.createBackup('often', 'often/it', { backupPolicy });
  const present = async () => (await here.store.keys()).filter((key) => key.startsWith('often/')).toSorted();
  await here.whileWriting(async () => {
    const first = await until('a first one', async () => (await present())[0], { everyMilliseconds: 1000 });
    const later = async () => {
      const keys = await present();
      return keys.length === 2 && !keys.includes(first) ? keys : undefined;
    };
    expect(await until('two others', later, { everyMilliseconds: 500 })).toHaveLength(2);
  });
  await here.scene.kubectl('delete', 'etcdbackup', 'often');
});

test('a restore brings back exactly what was in the backup (C-31)', async () => {
  await here.put('foo', 'changed');
  await here.put('later', 'yes');
  await here.createRestore('kept/one');
  await here.untilSucceeded('etcdrestore', name);
  await here.untilHealthy();
  await here.whileWriting(async () => {
    expect(await here.read('foo')).toBe('bar');
    expect(await here.read('later')).toBeUndefined();
  });
});

test('all of this was done with the rights of deploy/base', async () => {
  const { scene } = here;
  const calls = await recordedCalls(scene.cluster, (account) => account === `${scene.namespace}:etcd-operator`);
  expect(calls).toContainEqual(expect.objectContaining({ verb: 'patch', resource: 'etcdrestores/status' }));
  expect(refusedCalls(calls)).toEqual([]);
  const granted = rights.filter(({ place }) => ['watched', 'secrets', 'own'].includes(place));
  expect(unknownCalls(calls, granted)).toEqual([]);
});
