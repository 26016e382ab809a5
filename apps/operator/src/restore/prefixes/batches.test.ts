// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { batches, transactionOf } from './batches.ts';
import type { KeyWrite } from './key-write.ts';

const put = (name: string, bytes: number, seen = 0n): KeyWrite => {
  const key = Buffer.from(name);
  const value = new Uint8Array(bytes);
  const revisions = { createRevision: 2n, modRevision: 2n, version: 1n, lease: 7n };
  return { key, seen, put: { key, ...revisions, valueBytes: bytes, value: async () => value } };
};

async function sizes(writes: readonly KeyWrite[], limits?: { readonly keys: number; readonly bytes: number }) {
  const found: number[] = [];
  for await (const batch of batches(stream(writes), limits)) found.push(batch.length);
  return found;
}

async function* stream(writes: readonly KeyWrite[]): AsyncGenerator<KeyWrite> {
  yield* writes;
}

describe('keys are put together', () => {
  const many = (count: number, bytes: number) => Array.from({ length: count }, (_, index) => put(`k${index}`, bytes));

  test("up to half of etcd's 128 operations, and a third of its 1.5 MiB", async () => {
    expect(await sizes(many(130, 10))).toEqual([64, 64, 2]);
    expect(await sizes(many(6, 200 * 1024))).toEqual([2, 2, 2]);
    expect(await sizes([])).toEqual([]);
  });

  test('and one that is larger goes alone', async () => {
    expect(await sizes([put('a', 1), put('b', 1_400_000), put('c', 1)])).toEqual([1, 1, 1]);
  });
});

describe('a transaction', () => {
  const batch = [
    { key: Buffer.from('new'), seen: 0n, value: Buffer.from('v') },
    { key: Buffer.from('old'), seen: 9n, value: Buffer.from('w') },
    { key: Buffer.from('gone'), seen: 8n, value: undefined },
  ];

  test('compares exactly the keys that it writes, writes each without a lease, and asks for them where they differ', () => {
    expect(transactionOf(batch)).toEqual({
      compare: [
        { key: batch[0]?.key, target: 'version', result: 'equal', version: 0n },
        { key: batch[1]?.key, target: 'mod', result: 'equal', modRevision: 9n },
        { key: batch[2]?.key, target: 'mod', result: 'equal', modRevision: 8n },
      ],
      success: [
        { put: { key: batch[0]?.key, value: batch[0]?.value } },
        { put: { key: batch[1]?.key, value: batch[1]?.value } },
        { deleteRange: { key: batch[2]?.key } },
      ],
      failure: batch.map(({ key }) => ({ range: { key, keysOnly: true } })),
    });
  });

  test('of a single key asks for nothing: it may be as large as a request may be', () => {
    expect(Object.keys(transactionOf(batch.slice(0, 1)))).toEqual(['compare', 'success']);
  });
});
