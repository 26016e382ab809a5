// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

const withoutNull = fc
  .dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__'),
    fc.jsonValue({ maxDepth: 3 }).map((value) => dropNulls(value)),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(dropNulls);
  if (typeof value !== 'object' || value === null) return value ?? 0;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, dropNulls(item)]),
  );
}

describe('a merge patch', () => {
  test.each([
    ['sets', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['removes by null', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['replaces lists whole', { a: ['b'] }, { a: ['c', 'd'] }, { a: ['c', 'd'] }],
    ['goes into objects', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['puts an object in the place of a value', { a: 1 }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
    ['keeps a null that the document has', { e: null }, { a: 1 }, { e: null, a: 1 }],
    ['drops nulls inside a list it brings in, as the server does', {}, { a: [{ b: null }] }, { a: [{}] }],
    ['puts a list in the place of an object as it is', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ])('%s', (_, document, patch, expected) => {
    const before = structuredClone([document, patch]);
    expect(applyMergePatch<unknown>(document, patch)).toEqual(expected);
    expect([document, patch]).toEqual(before);
  });

  test('made from two documents turns one into the other', () => {
    fc.assert(
      fc.property(withoutNull, withoutNull, (before, after) => {
        expect(applyMergePatch(before, createMergePatch(before, after))).toEqual(after);
        expect(createMergePatch(after, structuredClone(after))).toEqual({});
      }),
      { numRuns: 500 },
    );
  });

  test('never touches a prototype', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const result = applyMergePatch<object>({}, patch);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('cannot be made from anything but objects', () => {
    expect(() => createMergePatch([], {})).toThrow('objects');
  });
});
