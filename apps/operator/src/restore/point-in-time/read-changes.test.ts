// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listSegments } from '../../changes/stored-segments.ts';
import { put } from '../../changes/testing/changes.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { RecordedSeries } from '../testing/recorded-series.ts';
import { StoredChanges } from './read-changes.ts';

const base = 'folder/etcd';
const { signal } = new AbortController();

/** Records what is being read, and the highest number of reads at the same time. */
class CountingStore extends MemoryStore {
  open = 0;
  most = 0;

  override async *get(...asked: Parameters<MemoryStore['get']>): AsyncGenerator<Uint8Array, void, undefined> {
    this.open++;
    this.most = Math.max(this.most, this.open);
    try {
      // The first byte of a store takes a while.
      await new Promise((resolve) => setImmediate(resolve));
      yield* super.get(...asked);
    } finally {
      this.open--;
    }
  }
}

/** Twenty segments of one change each, after a full backup at revision 10. */
async function recorded() {
  const store = new CountingStore();
  const series = new RecordedSeries(store, base, 'abc');
  const content = Buffer.from('whatever');
  await series.snapshot(content, 10n, 0);
  for (let revision = 11n; revision <= 30n; revision++) await series.segment([put(revision, Number(revision))]);
  const segments = await listSegments(store, base, signal);
  const source = { store, keys: undefined, place: { type: 'S3', bucket: 'b', key: base, path: `b/${base}` } } as const;
  const snapshot = { revision: 10n, sha256: createHash('sha256').update(content).digest('hex') };
  const asked = { segments, listed: segments, snapshot, until: { revision: 30n } };
  return { store, segments, changes: new StoredChanges(source, asked, signal) };
}

describe('changes that are read from many segments', () => {
  test('come in order, while the next segments are asked for', async () => {
    const { store, changes } = await recorded();
    const revisions: bigint[] = [];
    for await (const { revision } of changes.changes()) revisions.push(revision);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => BigInt(index + 11)));
    expect(store.most).toBeGreaterThan(4);
    expect(store.most).toBeLessThan(10);
    expect(store.open).toBe(0);
  });

  test('leave nothing open where the reader stops early', async () => {
    const { store, changes } = await recorded();
    for await (const _ of changes.changes()) break;
    expect(store.open).toBe(0);
  });

  test('leave nothing open where a segment is gone, and say so when its turn has come', async () => {
    const { store, segments, changes } = await recorded();
    await store.delete(segments[3]?.key ?? '');
    let last = 0n;
    const read = async () => {
      for await (const { revision } of changes.changes()) last = revision;
    };
    await expect(read()).rejects.toThrow(segments[3]?.key ?? '');
    expect(last).toBe(13n);
    expect(store.open).toBe(0);
  });
});
