// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonPatchOperation } from '../client/client.ts';
import { applyJsonPatch } from './json-patch.ts';
import { createJsonPatch } from './json-patch-diff.ts';

const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)) as unknown);

describe('a JSON patch', () => {
  test.each<[string, unknown, readonly JsonPatchOperation[], unknown]>([
    ['adds a key', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['inserts into a list', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
    ['appends to a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['counts from the end', [1, 2, 3], [{ op: 'remove', path: '/-1' }], [1, 2]],
    ['inserts counted from the end', [1, 2], [{ op: 'add', path: '/-1', value: 3 }], [1, 2, 3]],
    ['removes a key', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['replaces an item', [1, 2], [{ op: 'replace', path: '/0', value: 9 }], [9, 2]],
    ['sets an absent key by replace, as the server does', {}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['replaces the document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['moves', { a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['tests', { a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
    ['finds null where there is nothing', {}, [{ op: 'test', path: '/a', value: null }], {}],
    [
      'unescapes keys',
      { 'a/b': 1, '~': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/~0' },
      ],
      {},
    ],
  ])('%s', (_, document, operations, expected) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(document, operations)).toEqual(expected);
    expect(document).toEqual(before);
  });

  test.each<[string, unknown, unknown, string]>([
    ['removing what is not there', {}, [{ op: 'remove', path: '/a' }], 'PathNotFound'],
    ['adding below what is not there', {}, [{ op: 'add', path: '/a/b', value: 1 }], 'PathNotFound'],
    ['adding beyond the end', [], [{ op: 'add', path: '/1', value: 1 }], 'PathNotFound'],
    ['replacing beyond the end', [1], [{ op: 'replace', path: '/1', value: 1 }], 'PathNotFound'],
    ['an index that is no number', [1], [{ op: 'remove', path: '/a' }], 'PathNotFound'],
    ['moving what is not there', {}, [{ op: 'move', from: '/a', path: '/b' }], 'PathNotFound'],
    ['adding the whole document', {}, [{ op: 'add', path: '', value: {} }], 'PathNotFound'],
    ['a failed test', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }], 'TestFailed'],
    ['an inherited property', {}, [{ op: 'test', path: '/toString/length', value: 0 }], 'PathNotFound'],
    ['a path that is no pointer', {}, [{ op: 'add', path: 'a', value: 1 }], 'Malformed'],
    ['an unknown operation', {}, [{ op: 'increment', path: '/a' }], 'Malformed'],
    ['a missing path', {}, [{ op: 'remove' }], 'Malformed'],
    ['a patch that is no list', {}, {}, 'Malformed'],
    ['an operation that is no object', {}, [null], 'Malformed'],
    ['a scalar as document', {}, [{ op: 'replace', path: '', value: 1 }], 'Malformed'],
  ])('is refused for %s', (_, document, operations, code) => {
    expect(() => applyJsonPatch(document, operations as JsonPatchOperation[])).toThrow(
      expect.objectContaining({ name: 'PatchError', code }),
    );
  });

  test('never touches a prototype', () => {
    const operations: JsonPatchOperation[] = [{ op: 'add', path: '/__proto__', value: { polluted: true } }];
    const result = applyJsonPatch<object>({}, operations);
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('the difference of two documents', () => {
  test('turns one into the other, for any two', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (before, after) => {
        expect(applyJsonPatch(before, createJsonPatch(before, after))).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  test('turns one list into the other', () => {
    const list = fc.array(fc.nat(3), { maxLength: 8 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        expect(applyJsonPatch({ a: before }, createJsonPatch({ a: before }, { a: after }))).toEqual({ a: after });
      }),
      { numRuns: 500 },
    );
  });

  test('is empty for equal documents and names only what differs', () => {
    const pod = { spec: { containers: [{ name: 'a', image: 'x' }], volumes: [] } };
    expect(createJsonPatch(pod, structuredClone(pod))).toEqual([]);
    const injected = { spec: { containers: [{ name: 'a', image: 'x' }, { name: 'b' }], volumes: [{ name: 'v' }] } };
    expect(createJsonPatch(pod, injected)).toEqual([
      { op: 'add', path: '/spec/containers/1', value: { name: 'b' } },
      { op: 'add', path: '/spec/volumes/0', value: { name: 'v' } },
    ]);
  });

  test('inserts at the front without rewriting the rest', () => {
    expect(createJsonPatch([1, 2, 3], [0, 1, 2, 3])).toEqual([{ op: 'add', path: '/0', value: 0 }]);
    expect(createJsonPatch([0, 1, 2, 3], [1, 2, 3])).toEqual([{ op: 'remove', path: '/0' }]);
  });

  test('takes an undefined key for an absent one', () => {
    expect(createJsonPatch({ a: undefined }, { b: undefined })).toEqual([]);
    expect(createJsonPatch({ a: 1 }, { a: undefined })).toEqual([{ op: 'remove', path: '/a' }]);
  });
});
