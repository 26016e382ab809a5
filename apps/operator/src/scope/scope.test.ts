// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdBackup, etcdBackups } from '../api/etcd-backup.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { annotations } from '../api/names.ts';
import { isSeen, unseenStatus } from '../api/status/unseen-status.ts';
import { runEtcdBackupOperator } from '../backup-operator.ts';
import { runEtcdRestoreOperator } from '../restore-operator.ts';
import { ApiServerScene } from '../testing/api-server-scene.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const clusterwide = { [annotations.scope]: 'clusterwide' };
const namespaced = { [annotations.scope]: 'namespaced' };
/** Neither a backup nor a restore can succeed with this storage; each reports that in its status. */
const storage = { directory: { path: 'nothing.here' } };

describe.each([
  ['an operator of one namespace', false],
  ['a cluster-wide operator', true],
])('%s', (_who, clusterWide) => {
  let scene: ApiServerScene;
  let directory = '';
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  beforeAll(async () => {
    scene = await ApiServerScene.open();
    await scene.installCrd();
    directory = await mkdtemp(join(tmpdir(), 'scope-'));
    const log = createLogger({ clock: systemClock, level: 'info', write: (record) => scene.log.push(record) });
    const options = {
      ...{ client: scene.client, log, namespace: 'default', identity: 'o', leaderElection: false, clusterWide },
      storage: { directory },
      dial: () => Promise.reject(new Error('nothing runs here')),
    };
    running.push(runEtcdBackupOperator(options, stop.signal));
    running.push(runEtcdRestoreOperator({ ...options, agentImage: 'operator:test' }, stop.signal));
    for (const ended of running) ended.catch(() => undefined);
  }, 60_000);
  afterAll(async () => {
    stop.abort(new Error('the test is over'));
    await Promise.allSettled(running);
    await scene?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const [mine, other] = clusterWide ? [{}, namespaced] : [{}, clusterwide];
  const created = async <T>(make: () => Promise<T>) =>
    scene.until('the kind is served', async () => make().catch(() => undefined), 30_000);

  test('manages its own EtcdBackups and leaves those of another operator alone', async () => {
    const backups = scene.client.resource(etcdBackups.resource);
    const backup = (name: string, notes: Readonly<Record<string, string>>): EtcdBackup => ({
      apiVersion,
      kind: 'EtcdBackup',
      metadata: { name, namespace: 'default', annotations: notes },
      spec: { etcdEndpoints: ['http://10.0.0.1:2379'], storageType: 'Directory', ...storage },
    });
    await created(() => backups.create(backup('other', other)));
    await created(() => backups.create(backup('mine', mine)));
    await scene.until(
      'a status',
      async () => isSeen((await backups.get({ namespace: 'default', name: 'mine' })).status) || undefined,
    );
    expect((await backups.get({ namespace: 'default', name: 'other' })).status).toMatchObject(unseenStatus);
  }, 60_000);

  test('manages its own EtcdRestores and leaves those of another operator alone', async () => {
    const restores = scene.client.resource(etcdRestores.resource);
    const restore = (name: string, notes: Readonly<Record<string, string>>): EtcdRestore => ({
      apiVersion,
      kind: 'EtcdRestore',
      metadata: { name, namespace: 'default', annotations: notes },
      spec: { etcdCluster: { name }, backupStorageType: 'Directory', ...storage },
    });
    await created(() => restores.create(restore('other', other)));
    await created(() => restores.create(restore('mine', mine)));
    await scene.until(
      'a status',
      async () => isSeen((await restores.get({ namespace: 'default', name: 'mine' })).status) || undefined,
    );
    expect((await restores.get({ namespace: 'default', name: 'other' })).status).toMatchObject(unseenStatus);
  }, 60_000);
});
