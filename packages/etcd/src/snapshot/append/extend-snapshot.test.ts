// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boltFile, revisionKey } from '../../testing/bolt-file.ts';
import { extended } from '../../testing/offline-replay.ts';
import { BoltReader } from '../bolt-reader.ts';
import { readSnapshotFacts } from '../snapshot-facts.ts';
import { verifySnapshot } from '../verify-snapshot.ts';
import type { TransactionChanges } from './change-entries.ts';

const readerOf = (file: Buffer) => async (offset: number, length: number) => file.subarray(offset, offset + length);

/** A database with this many revisions from 2 on, and leases with odd numbers. */
function database({ revisions = 5, leases = 0, inline = false, perPage = 3 } = {}): Buffer {
  const entries = Array.from({ length: revisions }, (_, index) => {
    return [revisionKey(BigInt(index + 2)), Buffer.from('\u{a}\u{1}k')] as const;
  });
  const leaseEntries = Array.from(
    { length: leases },
    (_, index) => [leaseKey(2 * index + 1), Buffer.from('old')] as const,
  );
  const fillers = ['alarm', 'auth', 'cluster', 'members', 'meta'].map((name) => ({
    name,
    entries: [[Buffer.from('x'), Buffer.alloc(200, name)] as const],
    inline: true,
  }));
  const file = boltFile(
    [{ name: 'key', entries, inline }, { name: 'lease', entries: leaseEntries, inline: leases === 0 }, ...fillers],
    perPage,
  );
  return Buffer.concat([file, Buffer.alloc(32)]);
}

function leaseKey(id: number): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigInt64BE(BigInt(id));
  return key;
}

function put(revision: bigint, bytes = 3): TransactionChanges {
  const kv = { key: Buffer.from('k'), createRevision: 2n, modRevision: revision, version: 2n, lease: 0n };
  return { revision, events: [{ type: 'put', kv: { ...kv, value: Buffer.alloc(bytes, 'v') } }] };
}

async function entriesOf(file: Buffer, bucket: string): Promise<readonly { key: string; bytes: number }[]> {
  const reader = await BoltReader.open(readerOf(file));
  const found: { key: string; bytes: number }[] = [];
  for await (const leaf of reader.leaves(bucket, file.byteLength))
    found.push(...leaf.map(({ key, value }) => ({ key: key.toString('hex'), bytes: value.byteLength })));
  return found;
}

async function isSound(file: Buffer): Promise<boolean> {
  const source = async function* () {
    yield file;
  };
  for await (const _ of verifySnapshot(source()));
  return true;
}

/** How many children each branch of the `key` bucket has, found by reading every page. */
function branchesOf(file: Buffer): readonly number[] {
  const counts: number[] = [];
  for (let at = 0; at + 4096 <= file.byteLength; at += 4096)
    if (file.readUInt16LE(at + 8) === 1 && file.readBigUInt64LE(at) === BigInt(at / 4096))
      counts.push(file.readUInt16LE(at + 10));
  return counts;
}

describe('a snapshot with later changes', () => {
  test('has all of them behind what it had, whatever it looks like and however large they are', async () => {
    const cases = fc.record({
      revisions: fc.constantFrom(0, 1, 3, 4, 40),
      inline: fc.boolean(),
      leases: fc.constantFrom(0, 4, 30),
      sizes: fc.array(fc.constantFrom(0, 1, 50, 1_000, 4_000, 4_096, 9_000, 50_000), { minLength: 1, maxLength: 60 }),
      added: fc.uniqueArray(fc.integer({ min: 1, max: 70 }), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ revisions, inline, leases, sizes, added }) => {
        const base = database({ revisions, leases, inline });
        const changes = sizes.map((bytes, index) => put(BigInt(Math.max(2, revisions + 2) + index), bytes));
        const file = await extended(
          base,
          changes,
          added.map((id) => ({ id: BigInt(id), ttl: 60n })),
        );
        expect(await isSound(file)).toBe(true);
        const [before, after] = [await entriesOf(base, 'key'), await entriesOf(file, 'key')];
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after.slice(before.length).map(({ key }) => key)).toEqual(
          changes.map(({ revision }) => revisionKey(revision).toString('hex')),
        );
        const [old, all] = [await entriesOf(base, 'lease'), await entriesOf(file, 'lease')];
        const wanted = new Set([...old.map(({ key }) => key), ...added.map((id) => leaseKey(id).toString('hex'))]);
        expect(all.map(({ key }) => key)).toEqual([...wanted].toSorted());
        // Existing leases are unchanged.
        expect(all.filter(({ bytes }) => bytes === 3)).toEqual(old);
        for (const bucket of ['alarm', 'members', 'meta'])
          expect(await entriesOf(file, bucket)).toEqual(await entriesOf(base, bucket));
      }),
      { numRuns: 60 },
    );
  });

  test('has branches of at least two children at every level, which bbolt relies on', async () => {
    // Enough for three levels; some lengths would leave one child on the last page of a level.
    for (const count of [13_000, 13_050, 13_100]) {
      const base = database({ revisions: 400 });
      const file = await extended(
        base,
        Array.from({ length: count }, (_, index) => put(BigInt(402 + index))),
      );
      expect((await readSnapshotFacts(readerOf(file))).revision).toBe(BigInt(401 + count));
      expect(await entriesOf(file, 'key')).toHaveLength(400 + count);
      const branches = branchesOf(file);
      expect(branches.length).toBeGreaterThan(3);
      expect(Math.min(...branches)).toBeGreaterThanOrEqual(2);
    }
  });

  test.each([
    ['a revision is missing', [put(7n), put(9n)], 'changes are missing: revision 7 is followed by 9'],
    ['the first one is missing', [put(8n)], 'changes are missing: revision 6 is followed by 8'],
    ['a revision comes twice', [put(7n), put(7n)], 'changes are missing: revision 7 is followed by 7'],
    ['there are none', [], 'there are no changes after revision 6'],
  ])('is refused where %s', async (_, changes, message) => {
    await expect(extended(database(), changes)).rejects.toMatchObject({ code: 'Gap', message });
  });

  test('is refused where a change says another revision', async () => {
    const wrong = { ...put(8n), revision: 7n };
    await expect(extended(database(), [wrong])).rejects.toMatchObject({ code: 'Malformed' });
  });

  test('is refused where leases are to be added and there is no bucket for them', async () => {
    const file = boltFile([{ name: 'key', entries: [[revisionKey(2n), Buffer.from('\u{a}\u{1}k')]] }]);
    const base = Buffer.concat([file, Buffer.alloc(32)]);
    expect(await isSound(await extended(base, [put(3n)]))).toBe(true);
    await expect(extended(base, [put(3n)], [{ id: 2n, ttl: 1n }])).rejects.toMatchObject({ code: 'Malformed' });
  });

  test('is refused for a file that is cut off, or damaged anywhere, and never loops or throws anything else', async () => {
    const base = database({ revisions: 40, leases: 30 });
    await expect(extended(base.subarray(0, 20_000), [put(42n)])).rejects.toMatchObject({ code: 'Malformed' });
    await fc.assert(
      fc.asyncProperty(fc.nat(base.byteLength - 1), fc.nat(255), async (at, byte) => {
        const damaged = Buffer.from(base);
        damaged[at] = byte;
        const outcome = await extended(damaged, [put(42n)], [{ id: 2n, ttl: 1n }]).then(
          () => 'SnapshotError',
          (error: unknown) => (error instanceof Error ? error.name : error),
        );
        expect(outcome).toBe('SnapshotError');
      }),
      { numRuns: 300 },
    );
  });
});
