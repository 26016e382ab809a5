// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { segmentKey } from '../../changes/segment-names.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { deleteChanges } from '../act/stored/delete-stored.ts';
import { periodicKey } from '../plan/backup-names.ts';
import { pruneSegments } from './prune-segments.ts';

const base = 'dir/b';
const { signal } = new AbortController();
const free = () => undefined;

function segment(from: number, to: number, clusterId = 'abc'): string {
  return segmentKey(base, { clusterId, from: BigInt(from), to: BigInt(to), lastAt: to * 1_000 });
}

/** A store with segments up to revision 40, and backups of these revisions. */
function storeWith(...revisions: readonly number[]) {
  const store = new MemoryStore();
  const segments = [segment(11, 20), segment(21, 30), segment(31, 40), segment(5, 9, 'def')];
  for (const key of segments) store.seed(key, 'segment');
  for (const revision of revisions) store.seed(periodicKey(base, BigInt(revision), revision * 1_000), 'backup');
  return { store, left: () => segments.filter((key) => store.keys.includes(key)) };
}

describe('segments', () => {
  test('go when every backup that is stored is newer', async () => {
    const { store, left } = storeWith(25, 35);
    expect(await pruneSegments(store, base, free, signal)).toBe(2);
    expect(left()).toEqual([segment(21, 30), segment(31, 40)]);
  });

  test('stay as long as there is one backup before them, whoever made it', async () => {
    const { store, left } = storeWith(4, 35);
    expect(await pruneSegments(store, base, free, signal)).toBe(0);
    expect(left()).toHaveLength(4);
  });

  test('stay if the store lists no backup', async () => {
    const { store, left } = storeWith();
    expect(await pruneSegments(store, base, free, signal)).toBe(0);
    expect(left()).toHaveLength(4);
  });

  test('stay if nothing may be deleted now, and if they are locked', async () => {
    const { store, left } = storeWith(35);
    const fence = () => {
      throw new Error('the lease is lost');
    };
    await expect(pruneSegments(store, base, fence, signal)).rejects.toThrow('the lease is lost');
    expect(left()).toHaveLength(4);
    store.refuse = (call, key) => (call === 'delete' && key === segment(11, 20) ? 'Locked' : undefined);
    expect(await pruneSegments(store, base, free, signal)).toBe(2);
    expect(left()).toEqual([segment(11, 20), segment(31, 40)]);
  });

  test('all go with the last backup, and nothing else that lies beside them', async () => {
    const { store } = storeWith();
    const others = ['dir/b.changes/notes.txt', 'dir/b.changed', 'dir/bb.changes/x'];
    for (const key of others) store.seed(key, '');
    await deleteChanges(store, base, { kept: [], clusterIds: new Set(['abc', 'def']) }, signal);
    expect(store.keys).toEqual(others.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test('of clusters that no deleted backup is of stay, all of them where the store showed none', async () => {
    const { store, left } = storeWith();
    await deleteChanges(store, base, { kept: [], clusterIds: new Set() }, signal);
    expect(left()).toHaveLength(4);
    await deleteChanges(store, base, { kept: [], clusterIds: new Set(['abc']) }, signal);
    expect(left()).toEqual([segment(5, 9, 'def')]);
  });
});
