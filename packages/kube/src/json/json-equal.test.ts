// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonEqual } from './json-equal.ts';

test('agrees with comparing sorted texts, for any two JSON values', () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { entries: entries.map(([key, item]) => [key, sorted(item)]) };
  };
  const small = fc.jsonValue({ maxDepth: 2, depthSize: 'small' });
  const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  fc.assert(
    fc.property(small, small, (a, b) => {
      const [left, right] = [normal(a), normal(b)];
      expect(jsonEqual(left, right)).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
      expect(jsonEqual(left, structuredClone(left))).toBe(true);
    }),
  );
});

test('an undefined key counts as absent', () => {
  expect(jsonEqual({ a: undefined, b: 1 }, { b: 1 })).toBe(true);
  expect(jsonEqual({ b: 1 }, { a: undefined, b: 1 })).toBe(true);
  expect(jsonEqual({ a: undefined }, { b: undefined })).toBe(true);
  expect(jsonEqual({ a: 1 }, { a: undefined, b: 1 })).toBe(false);
});

test('a key named like an inherited property is not found where it is absent', () => {
  expect(jsonEqual({ toString: 1 }, { valueOf: 1 })).toBe(false);
  expect(jsonEqual(JSON.parse('{"__proto__":{}}'), { a: {} })).toBe(false);
});
