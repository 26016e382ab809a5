// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder } from '@operator-parts/controller-runtime';
import { describe, expect, test } from 'vitest';
import type { EtcdBackup, EtcdBackupStatus } from '../../../api/etcd-backup.ts';
import { manifestPath } from '../../../storage/manifest.ts';
import { MemoryStore, madeBy } from '../../../storage/testing/memory-store.ts';
import { emitNotFound, emitUndeleted, whyKept } from '../../status/backup-events.ts';
import { deleteFrom } from './delete-stored.ts';

const { signal } = new AbortController();
const key = 's_v5_2026-11-16-12:00:00';
const backupWith = (status: EtcdBackupStatus): EtcdBackup => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdBackup',
  metadata: { namespace: 'ns', name: 'mine', uid: 'uid-mine', deletionTimestamp: '2026-11-16T12:00:00Z' },
  spec: { storageType: 'S3', deletionPolicy: 'Delete' },
  status,
});
const last = (path: string) => ({ lastBackup: { path, bytes: 4, sha256: '', durationSeconds: 1 } });

describe('deleting what is stored with its EtcdBackup', () => {
  test('deletes its own, and keeps what cannot be told to be', async () => {
    const store = new MemoryStore();
    store.seedBackup(key, 'data', { backup: madeBy('mine') });
    store.seedBackup('s_v6_2026-11-16-13:00:00', 'data', { backup: madeBy('theirs') });
    const { deleted, kept } = await deleteFrom(store, 's', backupWith({}), signal);
    expect([deleted, kept.map((one) => one.key)]).toEqual([[key], ['s_v6_2026-11-16-13:00:00']]);
  });

  test('keeps what the store has locked, and deletes the rest', async () => {
    const store = new MemoryStore();
    const later = 's_v6_2026-11-16-13:00:00';
    for (const one of [key, later]) store.seedBackup(one, 'data', { backup: madeBy('mine') });
    store.refuse = (call, name) => (call === 'delete' && name === key ? 'Locked' : undefined);
    const { deleted, kept } = await deleteFrom(store, 's', backupWith({}), signal);
    expect([deleted, kept]).toEqual([[later], [{ key, why: 'locked' }]]);
    expect(whyKept(kept)).toContain(
      `${key}: the backup store has locked the backup. Delete the backup yourself when its lock has ended.`,
    );
    expect(store.keys).toEqual([key, manifestPath(key)]);
  });

  test('keeps the backup of another whose manifest comes in the place of its own', async () => {
    const store = new MemoryStore();
    const theirs = 's_v6_2026-11-16-13:00:00';
    store.seedBackup(key, 'same', { backup: madeBy('mine') });
    store.seedBackup(theirs, 'same', { backup: madeBy('theirs') });
    const own = store.objects.get(manifestPath(key));
    store.garble = (_key, bytes) => own?.bytes ?? bytes;
    const { kept } = await deleteFrom(store, 's', backupWith({}), signal);
    expect([kept, store.keys]).toEqual([[{ key: theirs, why: 'notOurs' }], [theirs, manifestPath(theirs)]]);
  });

  test('keeps a leftover whose manifest does not read as one', async () => {
    const store = new MemoryStore();
    store.seedBackup(key, 'data', { backup: madeBy('mine') });
    store.garble = () => Buffer.from('<html>');
    expect((await deleteFrom(store, 's', backupWith({ leftovers: [key] }), signal)).deleted).toEqual([]);
    expect(store.keys).toContain(key);
  });

  test('ends the unfinished upload of a single backup, and keeps what was at its path without a manifest', async () => {
    const store = new MemoryStore();
    store.seed('s', 'of somebody');
    const { kept } = await deleteFrom(store, 's', backupWith({ leftovers: ['s'] }), signal);
    expect(kept).toEqual([{ key: 's', why: 'notOurs' }]);
    expect(store.calls).toContain('clear s');
  });

  test('does not say of uploads that the store refuses to end that they are gone', async () => {
    const store = Object.assign(new MemoryStore(), { clears: 'refused' as const });
    store.seed(key, 'half');
    const { deleted, kept } = await deleteFrom(store, 's', backupWith({ leftovers: [key] }), signal);
    expect([deleted, kept]).toEqual([[key], [{ key, why: 'uploadsRefused' }]]);
    expect(whyKept(kept)).toBe(
      `Not deleted from the backup store: ${key}: the backup store denies listing or aborting unfinished uploads.`,
    );
  });
});

describe('what is left behind is named', () => {
  const said: string[] = [];
  const events = {
    record: (_object: unknown, _type: string, reason: string, message: string) => said.push(`${reason}: ${message}`),
  } as unknown as EventRecorder;
  const place = { type: 'S3', bucket: 'b', key: 's', path: 'b/s' } as const;
  const tell = (status: EtcdBackupStatus, deleted: readonly string[]) => {
    said.length = 0;
    emitNotFound(events, backupWith(status), { place }, { deleted, kept: [] });
    return said;
  };

  test('if the path was changed, or the store does not list the last backup', () => {
    expect(tell(last('b/old'), ['s'])).toEqual([
      'BackupsLeftBehind: Not deleted from the backup store: b/old. The operator did not find this at b/s, the path in the spec. If it exists at another path, delete it yourself.',
    ]);
    expect(tell(last(`b/${key}`), [])).toHaveLength(1);
    expect(tell({ leftovers: ['old'] }, [])).toHaveLength(1);
  });

  test('and nothing is said if it was deleted, or never made', () => {
    expect(tell(last(`b/${key}`), [key])).toEqual([]);
    expect(tell({}, [])).toEqual([]);
  });

  test('if the spec became invalid', () => {
    said.length = 0;
    emitUndeleted(events, backupWith(last('b/s')), { reason: 'NoEndpoints', message: 'no endpoints' });
    expect(said).toEqual([expect.stringContaining('b/s and earlier backups')]);
    emitUndeleted(events, backupWith({}), { reason: 'NoEndpoints', message: 'no endpoints' });
    expect(said).toHaveLength(1);
  });
});
