// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListedKey } from '../snapshot/snapshot-keys.ts';
import { diffKeys } from './diff-keys.ts';

type Content = ReadonlyMap<string, { readonly value: string; readonly lease: bigint }>;

async function* listed(content: Content): AsyncGenerator<ListedKey> {
  for (const [name, { value, lease }] of [...content].sort(([a], [b]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )) {
    const bytes = Buffer.from(value);
    const revisions = { createRevision: 1n, modRevision: 1n, version: 1n };
    yield { key: Buffer.from(name), ...revisions, lease, valueBytes: bytes.byteLength, value: async () => bytes };
  }
}

const name = (key: ListedKey) => Buffer.from(key.key).toString();

async function found(from: Content, to: Content): Promise<readonly string[]> {
  const words: string[] = [];
  for await (const one of diffKeys(listed(from), listed(to))) {
    if (one.change === 'added') words.push(`+${name(one.to)}`);
    if (one.change === 'removed') words.push(`-${name(one.from)}`);
    if (one.change === 'changed') words.push(`~${name(one.from)} ${one.differs.join()}`);
  }
  return words;
}

function expected(from: Content, to: Content): readonly string[] {
  return [...new Set([...from.keys(), ...to.keys()])]
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap((key) => {
      const [one, other] = [from.get(key), to.get(key)];
      if (!one) return [`+${key}`];
      if (!other) return [`-${key}`];
      const differs = [one.value === other.value ? '' : 'value', one.lease === other.lease ? '' : 'lease'];
      const parts = differs.filter((part) => part !== '');
      return parts.length === 0 ? [] : [`~${key} ${parts.join()}`];
    });
}

const content = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), minLength: 1, maxLength: 3 }),
      fc.record({ value: fc.constantFrom('', 'x', 'y', 'long'), lease: fc.constantFrom(0n, 5n) }),
    ),
  )
  .map((pairs) => new Map(pairs));

test('a comparison names every key that differs, and how, in the order of keys', async () => {
  await fc.assert(
    fc.asyncProperty(content, content, async (from, to) => {
      expect(await found(from, to)).toEqual(expected(from, to));
    }),
  );
});
