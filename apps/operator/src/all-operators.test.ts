// SPDX-License-Identifier: Apache-2.0
import { leases, pods } from '@operator-parts/kube';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runOperators } from './all-operators.ts';
import { etcdBackups } from './api/etcd-backup.ts';
import { etcdRestores } from './api/etcd-restore.ts';
import { type ControllerName, controllerNames } from './controller-names.ts';
import { ApiServerScene, clusterWith } from './testing/api-server-scene.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const patience = 60_000;
let scene: ApiServerScene;
const log: LogRecord[] = [];
const processes: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

beforeEach(async () => {
  scene = await ApiServerScene.open();
});

afterEach(async () => {
  for (const { stop } of processes) stop.abort();
  for (const { ended } of processes.splice(0)) await ended;
  await scene?.[Symbol.asyncDispose]();
});

/** Starts one process. The returned function stops it in order. */
function start(identity: string, controllers: readonly ControllerName[]): () => Promise<void> {
  const stop = new AbortController();
  const ended = runOperators(
    {
      client: scene.client,
      log: createLogger({ clock: systemClock, level: 'info', write: (record) => log.push(record) }),
      namespace: 'default',
      identity,
      controllers,
      readLog: () => Promise.resolve(''),
      dial: () => Promise.reject(new Error('nothing runs here')),
    },
    stop.signal,
  );
  ended.catch(() => undefined);
  processes.push({ stop, ended });
  return async () => {
    stop.abort();
    await ended;
  };
}

const programs = ['etcd-backup-operator', 'etcd-operator', 'etcd-restore-operator'];

/** The holder of the Lease of each program, in the order of their names. */
async function holders(): Promise<readonly string[]> {
  const { items } = await scene.client.resource(leases).list({ namespace: 'default' });
  return programs.map((name) => items.find(({ metadata }) => metadata?.name === name)?.spec?.holderIdentity ?? '');
}

const untilHeldBy = (...wanted: readonly string[]) =>
  scene.until(
    `leases of ${wanted.join(', ')}`,
    async () => ((await holders()).join() === wanted.join() ? true : undefined),
    patience,
  );

test('one process looks after all three kinds, which it installs, and holds the lease of each', {
  timeout: 120_000,
}, async () => {
  start('one', controllerNames);
  await untilHeldBy('one', 'one', 'one');
  await scene.clusters.create(clusterWith('a', { size: 1 }));
  const spec = { etcdEndpoints: ['http://a-client:2379'], storageType: 'S3', s3: { path: 'b/c', awsSecret: 'none' } };
  const backups = scene.client.resource(etcdBackups.resource);
  await backups.create({
    apiVersion,
    kind: 'EtcdBackup',
    metadata: { name: 'b', namespace: 'default' },
    spec,
  } as never);
  const key = (name: string) => ({ namespace: 'default', name });
  const seed = await scene.until('a seed', async () => (await scene.client.resource(pods).list({})).items[0], patience);
  expect(seed.metadata?.name).toMatch(/^a-/);
  const told = await scene.until('a word on the backup', async () => (await backups.get(key('b'))).status, patience);
  expect(told.succeeded).not.toBe(true);
});

test('a restore whose Secret is missing is tried again in its time, not without end', {
  timeout: 120_000,
}, async () => {
  start('one', controllerNames);
  await untilHeldBy('one', 'one', 'one');
  const restores = scene.client.resource(etcdRestores.resource);
  await restores.create({
    apiVersion,
    kind: 'EtcdRestore',
    metadata: { name: 'gone', namespace: 'default' },
    spec: { etcdCluster: { name: 'gone' }, backupStorageType: 'S3', s3: { path: 'b/c', awsSecret: 'none' } },
  } as never);
  const key = { namespace: 'default', name: 'gone' };
  await scene.until('a word on it', async () => (await restores.get(key)).status?.reason, patience);
  const tries = () => log.filter(({ message, fields }) => message === 'step' && fields['do'] === 'verify').length;
  const before = tries();
  await systemClock.sleep(1000);
  expect(tries() - before).toBeLessThan(20);
});

test('beside a process that has one of them already, it does the others, and takes over when that one ends', {
  timeout: 120_000,
}, async () => {
  const end = start('other', ['backup']);
  await untilHeldBy('other', '', '');
  start('one', controllerNames);
  await untilHeldBy('other', 'one', 'one');
  await end();
  await untilHeldBy('one', 'one', 'one');
  expect(await holders()).toEqual(['one', 'one', 'one']);
});
