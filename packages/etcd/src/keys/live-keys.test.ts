// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EtcdError } from '../client/etcd-error.ts';
import type { KeyValueStore } from '../client/services/kv.ts';
import { liveKeys } from './live-keys.ts';

const revision = 9n;
const { signal } = new AbortController();

/** A member with keys of these sizes, and a limit on its answers. */
function member(keys: readonly string[], sizeOf: number | ((index: number) => number), mostBytes: number) {
  const sizes = new Map(keys.map((key, index) => [key, typeof sizeOf === 'number' ? sizeOf : sizeOf(index)]));
  const asked: bigint[] = [];
  const range: KeyValueStore['range'] = async ({ key = new Uint8Array(0), limit = 0n, revision: at }) => {
    asked.push(limit);
    expect(at).toBe(revision);
    const left = keys.filter((name) => Buffer.compare(Buffer.from(name), key) >= 0);
    const given = left.slice(0, Number(limit));
    const bytes = given.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    if (bytes > mostBytes) throw new EtcdError('BadResponse', 'larger than the limit');
    const numbers = { createRevision: 2n, modRevision: 2n, version: 1n, lease: 0n };
    const bytesOf = (name: string) => new Uint8Array(sizes.get(name) ?? 0);
    const kvs = given.map((name) => ({ key: Buffer.from(name), value: bytesOf(name), ...numbers }));
    const header = { clusterId: 1n, memberId: 1n, revision, raftTerm: 1n };
    return { header, kvs, more: left.length > given.length, count: BigInt(left.length) };
  };
  return { range, asked };
}

async function listed(store: Pick<KeyValueStore, 'range'>, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key } of liveKeys(store, { prefix: Buffer.from(prefix), revision, signal }))
    found.push(Buffer.from(key).toString());
  return found;
}

const named = (count: number) => Array.from({ length: count }, (_, index) => `k/${String(index).padStart(5, '0')}`);
const mebibyte = 1024 * 1024;
const limits = (...expected: readonly number[]) => expected.map(BigInt);

test('pages are of one revision and grow fourfold, up to 8192 keys: for each of them etcd counts all that follow', async () => {
  const store = member(named(20_000), 10, 16 * mebibyte);
  expect(await listed(store, 'k/')).toEqual(named(20_000));
  expect(store.asked).toEqual(limits(64, 256, 1_024, 4_096, 8_192, 8_192));
});

test('and up to 8 MiB, by the size of the keys before', async () => {
  const store = member(named(300), 100_000, 16 * mebibyte);
  expect(await listed(store, 'k/')).toEqual(named(300));
  expect(store.asked).toEqual(limits(64, 83, 83, 83));
});

test('where a page is too large for one answer, smaller ones are asked for, down to a single key', async () => {
  const large = member(named(13), 1.5 * mebibyte, 16 * mebibyte);
  expect(await listed(large, 'k/')).toEqual(named(13));
  expect(large.asked).toEqual(limits(64, 8, 5));
  const larger = member(named(5), 5 * mebibyte, 16 * mebibyte);
  expect(await listed(larger, 'k/')).toEqual(named(5));
  expect(larger.asked).toEqual(limits(64, 8, 1, 1, 1, 1, 1));
});

test('a single key that is too large for one answer is a failure', async () => {
  const store = member(named(3), 17 * mebibyte, 16 * mebibyte);
  await expect(listed(store, 'k/')).rejects.toMatchObject({ code: 'BadResponse' });
  expect(store.asked).toEqual(limits(64, 8, 1));
});

test('of whatever sizes, each key comes once and in order', async () => {
  const sizes = fc.array(fc.constantFrom(0, 100, 40_000, 400_000), { maxLength: 600 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom(400_000, 3_000_000), async (sizesOf, most) => {
      const keys = named(sizesOf.length);
      expect(
        await listed(
          member(keys, (index) => sizesOf[index] ?? 0, most),
          'k/',
        ),
      ).toEqual(keys);
    }),
    { numRuns: 30 },
  );
});

test('another failure is one', async () => {
  const range = () => Promise.reject(new EtcdError('Compacted', 'compacted'));
  await expect(listed({ range }, 'k/')).rejects.toMatchObject({ code: 'Compacted' });
});
