// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyValue } from '../client/messages/kv-messages.ts';
import { boltFile, revisionKey } from '../testing/bolt-file.ts';
import { memorySpill } from '../testing/memory-spill.ts';
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';
import { SnapshotKeys } from './snapshot-keys.ts';

const record = (key: string, value: string | Uint8Array = key) =>
  keyValue.encode({ key: Buffer.from(key), value: Buffer.from(value), version: 1n });
const fileOf = (...keys: readonly (string | Uint8Array)[]) => {
  const entries = keys.map((key, index) => {
    const bytes = typeof key === 'string' ? record(key) : key;
    return [revisionKey(BigInt(index + 2)), bytes] as const;
  });
  return boltFile([{ name: 'key', entries }]);
};

const reading = (file: Uint8Array) => {
  const reads = { count: 0, longest: 0 };
  const readAt: ReadAt = async (offset, length) => {
    reads.count += 1;
    reads.longest = Math.max(reads.longest, length);
    return file.subarray(offset, offset + length);
  };
  return { readAt, reads };
};

async function keysOf(file: Uint8Array, readAt: ReadAt = reading(file).readAt): Promise<readonly string[]> {
  const snapshot = await SnapshotKeys.open({ readAt, bytes: file.byteLength });
  const keys: string[] = [];
  for await (const { key } of snapshot.at({}, memorySpill())) keys.push(Buffer.from(key).toString());
  return keys;
}

describe('the keys of a snapshot', () => {
  test('are in the order of keys, each once, whatever the order of writes was', async () => {
    expect(await keysOf(fileOf('m', 'z', 'a', 'm', 'mm', 'a'))).toEqual(['a', 'm', 'mm', 'z']);
    expect(await keysOf(boltFile([{ name: 'key', entries: [] }]))).toEqual([]);
    await expect(keysOf(boltFile([]))).rejects.toThrow('not a database of etcd');
  });

  test('of several prefixes come in one go, each once', async () => {
    const file = fileOf('a/1', 'b/1', 'c/1', 'ab', 'a/2', 'b/1', 'a');
    const snapshot = await SnapshotKeys.open({ readAt: reading(file).readAt, bytes: file.byteLength });
    const found: string[] = [];
    const prefixes = ['b/', 'a/', 'a/2'].map((prefix) => Buffer.from(prefix));
    for await (const { key } of snapshot.at({ prefixes }, memorySpill())) found.push(Buffer.from(key).toString());
    expect(found).toEqual(['a/1', 'a/2', 'b/1']);
  });

  test('many do not stay in memory: sorted runs are put aside, and merged', async () => {
    const file = fileOf(...Array.from({ length: 500 }, (_, index) => `k${(index * 7) % 450}`));
    const { readAt } = reading(file);
    const snapshot = await SnapshotKeys.open({ readAt, bytes: file.byteLength });
    const spill = memorySpill();
    const found: string[] = [];
    for await (const { key, modRevision } of snapshot.at({ limits: { keys: 40, bytes: 1e6 } }, spill))
      found.push(`${Buffer.from(key).toString()} ${modRevision}`);
    const newest = new Map(Array.from({ length: 500 }, (_, index) => [`k${(index * 7) % 450}`, index + 2]));
    expect(found).toEqual(
      [...newest]
        .map(([key, revision]) => `${key} ${revision}`)
        .sort((a, b) => ((a.split(' ')[0] ?? '') < (b.split(' ')[0] ?? '') ? -1 : 1)),
    );
    expect(spill.bytes()).toBeGreaterThan(0);
  });

  test('a file is read in blocks, once', async () => {
    const file = fileOf(...Array.from({ length: 3_000 }, (_, index) => `key-${index}`));
    const { readAt, reads } = reading(file);
    await keysOf(file, readAt);
    expect(reads.count).toBeLessThan(file.byteLength / 65_536 + 10);
    expect(reads.longest).toBe(65_536);
  });
});

describe('a file that is not sound', () => {
  const sound = fileOf(...Array.from({ length: 20 }, (_, index) => `key-${index}`));

  test('with revisions out of order, or an invalid entry, is refused', async () => {
    const entries = [3n, 2n, 5n].map((revision) => [revisionKey(revision), record('a')] as const);
    await expect(keysOf(boltFile([{ name: 'key', entries }]))).rejects.toMatchObject({ code: 'Malformed' });
    await expect(keysOf(fileOf(Buffer.from([0x0a, 0x7f])))).rejects.toMatchObject({ code: 'Malformed' });
  });

  test('whatever is damaged, the answer is keys or a SnapshotError, after a bounded number of reads', async () => {
    const damage = fc.array(fc.tuple(fc.nat(sound.byteLength - 1), fc.nat(255)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const file = Buffer.from(sound);
        for (const [offset, value] of changes) file[offset] = value;
        const { readAt, reads } = reading(file);
        try {
          await keysOf(file, readAt);
        } catch (error) {
          if (!(error instanceof SnapshotError)) throw error;
        }
        expect(reads.count).toBeLessThanOrEqual(300);
      }),
      { numRuns: 500 },
    );
  });
});
