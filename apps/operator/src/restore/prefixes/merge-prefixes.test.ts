// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePrefixes } from './merge-prefixes.ts';

const texts = (prefixes: readonly Uint8Array[]) => prefixes.map((prefix) => Buffer.from(prefix).toString());

test.each([
  [['/a/'], ['/a/']],
  [
    ['/b/', '/a/', '/b/'],
    ['/a/', '/b/'],
  ],
  [['/a/deep/', '/a/', '/a/deep/er'], ['/a/']],
  [
    ['/a', '/b', '/ab'],
    ['/a', '/b'],
  ],
])('%j is %j', (wanted, merged) => {
  expect(texts(mergePrefixes(wanted))).toEqual(merged);
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'ü'), minLength: 1, maxLength: 4 });

test('the same keys begin with what is merged, each with one prefix alone', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), text, (wanted, key) => {
      const merged = texts(mergePrefixes(wanted));
      const matching = merged.filter((prefix) => key.startsWith(prefix));
      expect(matching).toHaveLength(wanted.some((prefix) => key.startsWith(prefix)) ? 1 : 0);
    }),
  );
});
