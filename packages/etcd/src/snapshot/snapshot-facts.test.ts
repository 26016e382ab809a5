// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BucketContent, boltFile, revisionKey } from '../testing/bolt-file.ts';
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';
import { readSnapshotFacts } from './snapshot-facts.ts';

/** Reads of a file in memory, counted. */
function reading(file: Uint8Array): ReadAt & { readonly sizes: number[] } {
  const sizes: number[] = [];
  const readAt = async (offset: number, length: number) => {
    const bytes = file.subarray(offset, offset + length);
    sizes.push(bytes.byteLength);
    return bytes;
  };
  return Object.assign(readAt, { sizes });
}

const keys = (...revisions: bigint[]): BucketContent => ({
  name: 'key',
  entries: revisions.map((revision) => [revisionKey(revision), Buffer.from('value')]),
});
const meta = (entries: Readonly<Record<string, Uint8Array | string>>, inline = true): BucketContent => ({
  name: 'meta',
  inline,
  entries: Object.entries(entries)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [Buffer.from(key), Buffer.from(value)]),
});
const auth = (enabled: number): BucketContent => ({
  name: 'auth',
  inline: true,
  entries: [[Buffer.from('authEnabled'), Buffer.from([enabled])]],
});

describe('operator rule 20: the true revision of a stored snapshot', () => {
  test('is that of the right-most key, also below a branch', async () => {
    const readAt = reading(boltFile([keys(...Array.from({ length: 40 }, (_, index) => BigInt(index + 2)))]));
    expect(await readSnapshotFacts(readAt)).toEqual({
      revision: 41n,
      newestEntry: 41n,
      storageVersion: undefined,
      clusterVersion: undefined,
      consistentIndex: undefined,
      authEnabled: false,
    });
  });

  test('is found in a bucket that is kept inside its parent', async () => {
    expect((await readSnapshotFacts(reading(boltFile([{ ...keys(7n), inline: true }])))).revision).toBe(7n);
  });

  test('is 1 for an empty store, as the server says', async () => {
    expect(await readSnapshotFacts(reading(boltFile([keys()])))).toMatchObject({ revision: 1n, newestEntry: 0n });
    expect((await readSnapshotFacts(reading(boltFile([])))).revision).toBe(1n);
  });

  test('is that of the compaction where compaction has removed all newer keys', async () => {
    const file = boltFile([keys(3n), meta({ scheduledCompactRev: revisionKey(9n) })]);
    expect(await readSnapshotFacts(reading(file))).toMatchObject({ revision: 9n, newestEntry: 3n });
  });

  test('is read also when the last key is a deletion, which is marked behind the revision', async () => {
    const deletion = Buffer.concat([revisionKey(12n, 3n), Buffer.from('t')]);
    const file = boltFile([
      {
        name: 'key',
        entries: [
          [revisionKey(11n), Buffer.from('v')],
          [deletion, Buffer.from('v')],
        ],
      },
    ]);
    expect((await readSnapshotFacts(reading(file))).revision).toBe(12n);
  });

  test('values of megabytes are not read', async () => {
    const entries = [2n, 3n, 4n].map((revision) => [revisionKey(revision), Buffer.alloc(1_500_000)] as const);
    const readAt = reading(boltFile([{ name: 'key', entries }], 1));
    expect((await readSnapshotFacts(readAt)).revision).toBe(4n);
    expect(readAt.sizes.length).toBeLessThanOrEqual(7);
    expect(readAt.sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(64 * 1024);
  });

  test('the newer of two meta pages counts, and a broken one is passed over', async () => {
    const file = boltFile([keys(5n)]);
    for (const broken of [0, 4096]) {
      const damaged = Buffer.from(file);
      damaged.writeUInt8(0xff, broken + 40);
      expect((await readSnapshotFacts(reading(damaged))).revision).toBe(5n);
    }
  });
});

describe('what else a snapshot says', () => {
  test.each([true, false])('format and access control (small buckets inside their parent: %s)', async (inline) => {
    const index = Buffer.alloc(8);
    index.writeBigUInt64BE(77n);
    const cluster = {
      name: 'cluster',
      inline,
      entries: [[Buffer.from('clusterVersion'), Buffer.from('3.6.0')]],
    } as const;
    const facts = meta({ consistent_index: index, storageVersion: '3.6.0', term: 'x' }, inline);
    const file = boltFile([keys(2n), facts, cluster, auth(1)]);
    expect(await readSnapshotFacts(reading(file))).toEqual({
      revision: 2n,
      newestEntry: 2n,
      storageVersion: '3.6.0',
      clusterVersion: '3.6.0',
      consistentIndex: 77n,
      authEnabled: true,
    });
  });

  test('an invalid version is left out, because users would see it', async () => {
    const file = boltFile([keys(2n), meta({ storageVersion: '\u001b[31m3.6' })]);
    expect((await readSnapshotFacts(reading(file))).storageVersion).toBeUndefined();
  });

  test('operator rule 23: access control that was turned off again is off', async () => {
    expect((await readSnapshotFacts(reading(boltFile([keys(2n), auth(0)])))).authEnabled).toBe(false);
  });
});

describe('files that are none', () => {
  const sound = boltFile([keys(...Array.from({ length: 20 }, (_, index) => BigInt(index + 2))), meta({ term: 'x' })]);

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello '.repeat(3_000))],
    ['zeros', Buffer.alloc(100_000)],
    ['a file cut off after its meta pages', sound.subarray(0, 8192)],
    ['a file cut off in the middle', sound.subarray(0, sound.byteLength - 5_000)],
  ])('%s is refused', async (_, file) => {
    await expect(readSnapshotFacts(reading(file))).rejects.toBeInstanceOf(SnapshotError);
  });

  test('a tree that bites its own tail is refused', async () => {
    const looped = Buffer.from(sound);
    // Finds the branch page and makes each of its children point to itself.
    for (let base = 8192; base < looped.byteLength; base += 4096) {
      if (looped.readUInt16LE(base + 8) !== 1) continue;
      const count = looped.readUInt16LE(base + 10);
      for (let index = 0; index < count; index++)
        looped.writeBigUInt64LE(BigInt(base / 4096), base + 16 + 16 * index + 8);
    }
    await expect(readSnapshotFacts(reading(looped))).rejects.toMatchObject({ code: 'Malformed' });
  });

  test('whatever is damaged, the answer is facts or a SnapshotError, after a bounded number of reads', async () => {
    const damage = fc.array(fc.tuple(fc.nat(sound.byteLength - 1), fc.nat(255)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const file = Buffer.from(sound);
        for (const [offset, value] of changes) file[offset] = value;
        const readAt = reading(file);
        try {
          await readSnapshotFacts(readAt);
        } catch (error) {
          if (!(error instanceof SnapshotError)) throw error;
        }
        expect(readAt.sizes.length).toBeLessThanOrEqual(256);
      }),
      { numRuns: 500 },
    );
  });
});
