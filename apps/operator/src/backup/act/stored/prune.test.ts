// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { manifestPath } from '../../../storage/manifest.ts';
import { MemoryStore, madeBy } from '../../../storage/testing/memory-store.ts';
import { keepAll } from '../../plan/keep-rules.ts';
import { prune } from './prune.ts';

const { signal } = new AbortController();
const keyAt = (hour: number) => `s_v5_2026-11-16-1${hour}:00:00`;
const backups = ({ keys }: MemoryStore) => keys.filter((key) => !key.endsWith('.json'));
const policy = (made: string, spared: readonly string[] = []) => ({
  keep: { ...keepAll, last: 1 },
  made,
  spared: new Set(spared),
  owner: { backup: madeBy('mine'), clusterId: 'abc' },
});

describe('pruning a series', () => {
  test('counts and deletes its own, those of the EtcdBackup of the same name before it, and those of the cluster that name none', async () => {
    const store = new MemoryStore();
    store.seedBackup(keyAt(0), 'theirs', { backup: madeBy('theirs') });
    store.seedBackup(keyAt(1), 'cluster', {});
    store.seedBackup(keyAt(2), 'elsewhere', { clusterId: 'def' });
    store.seedBackup(keyAt(3), 'before', { backup: madeBy('mine', 'uid-before') });
    store.seedBackup(keyAt(4), 'now', { backup: madeBy('mine') });
    expect(await prune(store, 's', policy(keyAt(4)), signal)).toBe(2);
    expect(backups(store)).toEqual([keyAt(0), keyAt(2), keyAt(4)]);
  });

  test('leaves what is spared, and counts as if it were not there', async () => {
    const store = new MemoryStore();
    for (const hour of [0, 1, 2, 3]) store.seedBackup(keyAt(hour), 'data', { backup: madeBy('mine') });
    await prune(store, 's', policy(keyAt(3), [keyAt(1)]), signal);
    expect(backups(store)).toEqual([keyAt(1), keyAt(3)]);
  });

  test('leaves what it got the manifest of another name for', async () => {
    const store = new MemoryStore();
    store.seedBackup(keyAt(0), 'same', { backup: madeBy('theirs') });
    store.seedBackup(keyAt(1), 'same', { backup: madeBy('mine') });
    store.seedBackup(keyAt(2), 'same', { backup: madeBy('mine') });
    const own = store.objects.get(manifestPath(keyAt(1)));
    store.garble = (key, bytes) => (key === manifestPath(keyAt(0)) ? (own?.bytes ?? bytes) : bytes);
    expect(await prune(store, 's', policy(keyAt(2)), signal)).toBe(1);
    expect(backups(store)).toEqual([keyAt(0), keyAt(2)]);
  });

  test('leaves what the store has locked, deletes what it has not, and says so', async () => {
    const store = new MemoryStore();
    for (const hour of [0, 1, 2, 3]) store.seedBackup(keyAt(hour), 'data', { backup: madeBy('mine') });
    store.refuse = (call, key) => (call === 'delete' && key.startsWith(keyAt(0)) ? 'Locked' : undefined);
    await expect(prune(store, 's', policy(keyAt(3)), signal)).rejects.toMatchObject({
      fault: {
        reason: 'ObjectLocked',
        message: `the backup store has locked 1 old backup against deletion: ${keyAt(0)}. The operator retries the deletion after the next backup.`,
      },
    });
    expect(backups(store)).toEqual([keyAt(0), keyAt(3)]);
    store.refuse = () => undefined;
    expect(await prune(store, 's', policy(keyAt(3)), signal)).toBe(0);
    expect(backups(store)).toEqual([keyAt(3)]);
  });

  test('deletes the other manifests without a backup where the first of them is locked', async () => {
    const store = new MemoryStore();
    for (const hour of [0, 1, 2]) store.seedBackup(keyAt(hour), 'data', { backup: madeBy('mine') });
    for (const hour of [0, 1]) store.objects.delete(keyAt(hour));
    store.refuse = (call, key) => (call === 'delete' && key === manifestPath(keyAt(0)) ? 'Locked' : undefined);
    await prune(store, 's', policy(keyAt(2)), signal);
    expect(store.keys).toEqual([manifestPath(keyAt(0)), keyAt(2), manifestPath(keyAt(2))]);
  });

  test('leaves the manifest of what the store still shows after deleting it', async () => {
    const store = new MemoryStore();
    store.seedBackup(keyAt(0), 'old', { backup: madeBy('mine') });
    store.seedBackup(keyAt(1), 'new', { backup: madeBy('mine') });
    store.delete = async (key) => {
      if (key.endsWith('.json')) store.objects.delete(key);
    };
    await expect(prune(store, 's', policy(keyAt(1)), signal)).rejects.toThrow('the object still exists');
    expect(store.keys).toContain(manifestPath(keyAt(0)));
  });
});
