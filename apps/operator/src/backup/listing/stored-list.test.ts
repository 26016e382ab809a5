// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { segmentKey } from '../../changes/segment-names.ts';
import { manifestPath } from '../../storage/manifest.ts';
import { MemoryStore, madeBy } from '../../storage/testing/memory-store.ts';
import { keptByRules } from './retention-words.ts';
import { listStored } from './stored-list.ts';

const { signal } = new AbortController();
const keyAt = (hour: number, revision = hour) => `s_v${revision}_2026-11-16-0${hour}:00:00`;
const backup = madeBy('mine');

function seeded(): MemoryStore {
  const store = new MemoryStore();
  for (const hour of [1, 2, 3]) store.seedBackup(keyAt(hour), `data ${hour}`, { backup, revision: hour * 100 });
  return store;
}

const series = (more: Partial<EtcdBackup['spec']>, status: EtcdBackup['status'] = {}): EtcdBackup => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdBackup',
  metadata: { name: 'mine', namespace: 'ns', uid: 'uid-mine' },
  spec: { clusterRef: { name: 'c' }, storageType: 'S3', s3: { path: 'b/s', awsSecret: 'aws' }, ...more },
  status,
});

test('what is stored is told from the store alone: series, single backups, and how their manifests fit', async () => {
  const store = seeded();
  store.seed(keyAt(4), 'no manifest');
  store.seed(keyAt(5), 'garbled');
  store.seed(manifestPath(keyAt(5)), '{}');
  store.seedBackup(keyAt(6), 'cut off', { backup });
  store.seed(keyAt(6), 'cut');
  store.seedBackup('single', 'one', { clusterId: 'def' });
  store.seed('something else', 'of another program');
  const found = await listStored(store, { beginning: 's' }, signal);
  expect(found.map(({ base }) => base)).toEqual(['s', 'single']);
  expect(found[0]?.backups.map(({ key, state, manifest }) => [key, state, manifest?.revision])).toEqual([
    [keyAt(1), 'Matches', 100],
    [keyAt(2), 'Matches', 200],
    [keyAt(3), 'Matches', 300],
    [keyAt(4), 'Missing', undefined],
    [keyAt(5), 'Invalid', undefined],
    [keyAt(6), 'Differs', undefined],
  ]);
  expect(await listStored(store, { base: 'single' }, signal)).toMatchObject([
    { base: 'single', backups: [{ bytes: 3 }] },
  ]);
  expect(await listStored(store, { base: 'sin' }, signal)).toEqual([]);
  store.refuse = (call, key) => (call === 'get' && key === manifestPath(keyAt(1)) ? 'Denied' : undefined);
  expect((await listStored(store, { base: 's' }, signal))[0]?.backups[0]?.state).toBe('Denied');
});

test('the recovery point is where the changes after the newest backup end, and not what lies beyond a gap', async () => {
  const store = seeded();
  const record = (from: bigint, to: bigint, second: number) => {
    const lastAt = Date.parse(`2026-11-16T03:00:0${second}Z`);
    store.seed(segmentKey('s', { clusterId: 'abc', from, to, lastAt }), 'segment');
  };
  const point = async () => (await listStored(store, { base: 's' }, signal))[0];
  expect((await point())?.recoveryPoint).toEqual({ revision: 300n, time: Date.parse('2026-11-16T03:00:00Z') });
  record(250n, 310n, 1);
  record(311n, 320n, 4);
  record(330n, 340n, 9);
  expect(await point()).toMatchObject({
    recoveryPoint: { revision: 320n, time: Date.parse('2026-11-16T03:00:04Z') },
    changes: [
      { from: 250n, to: 320n, segments: 2 },
      { from: 330n, to: 340n, segments: 1 },
    ],
  });
});

test('each backup of a series is told with what keeps it', async () => {
  const store = seeded();
  store.seed(keyAt(4), 'no manifest');
  store.seedBackup(keyAt(5), 'theirs', { backup: madeBy('theirs') });
  const [found] = await listStored(store, { base: 's' }, signal);
  const told = (object: EtcdBackup) => {
    const rules = keptByRules(object, found?.backups ?? []);
    return rules && found?.backups.map(({ key }) => rules.get(key)?.join(', '));
  };
  const policy = { backupIntervalInSecond: 60 };
  const uncounted = ['not counted', 'not counted'];
  expect(told(series({ backupPolicy: { ...policy, maxBackups: 2 } }))).toEqual([
    '',
    'maxBackups',
    'maxBackups, newest',
    ...uncounted,
  ]);
  const proven = { lastProven: { path: `b/${keyAt(1)}` } } as EtcdBackup['status'];
  expect(told(series({ backupPolicy: { ...policy, keep: { last: 1, daily: 1 } } }, proven))).toEqual([
    'proof',
    '',
    'last, daily, newest',
    ...uncounted,
  ]);
  expect(told(series({ backupPolicy: policy }))).toEqual(['no rule', 'no rule', 'no rule, newest', ...uncounted]);
  expect(told(series({}))).toBeUndefined();
});
