// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { EtcdError } from '../client/etcd-error.ts';
import type { KeyValueStore } from '../client/services/kv.ts';
import { liveKeys } from './live-keys.ts';

const revision = 9n;
const { signal } = new AbortController();

/** A member with keys of one value each, which does not give more than so many bytes in one answer. */
function member(keys: readonly string[], valueBytes: number, mostBytes: number) {
  const asked: bigint[] = [];
  const range: KeyValueStore['range'] = async ({ key = new Uint8Array(0), limit = 0n, revision: at }) => {
    asked.push(limit);
    expect(at).toBe(revision);
    const left = keys.filter((name) => Buffer.compare(Buffer.from(name), key) >= 0);
    const given = left.slice(0, Number(limit));
    if (given.length * valueBytes > mostBytes) throw new EtcdError('BadResponse', 'larger than the limit');
    const numbers = { createRevision: 2n, modRevision: 2n, version: 1n, lease: 0n };
    const kvs = given.map((name) => ({ key: Buffer.from(name), value: new Uint8Array(valueBytes), ...numbers }));
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

const many = Array.from({ length: 200 }, (_, index) => `k/${String(index).padStart(3, '0')}`);

test('keys come in pages of one revision', async () => {
  const store = member(many, 10, 1_000_000);
  expect(await listed(store, 'k/')).toEqual(many);
  expect(store.asked).toEqual([64n, 64n, 64n, 64n]);
});

test('where a page is too large for one answer, smaller ones are asked for', async () => {
  const store = member(many.slice(0, 30), 1_500_000, 16_000_000);
  expect(await listed(store, 'k/')).toEqual(many.slice(0, 30));
  expect(store.asked).toContain(8n);
});

test('another failure is one', async () => {
  const range = () => Promise.reject(new EtcdError('Compacted', 'compacted'));
  await expect(listed({ range }, 'k/')).rejects.toMatchObject({ code: 'Compacted' });
});
