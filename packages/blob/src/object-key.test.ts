// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkKey, checkPrefix } from './object-key.ts';

function isAccepted(check: (text: string) => string, text: string): boolean {
  try {
    return check(text) === text;
  } catch {
    return false;
  }
}

describe('keys', () => {
  test.each([
    ['', 'is empty'],
    ['/a', 'starts with a slash'],
    ['a//b', 'has an empty path component'],
    ['a/', 'has an empty path component'],
    ['a/./b', 'has a path component that is "." or ".."'],
    ['..', 'has a path component that is "." or ".."'],
    ['a\\b', 'contains a backslash'],
    ['a\u0007', 'contains a control character'],
    ['a\u0085', 'contains a control character'],
    ['\ud800', 'is not well-formed Unicode'],
    ['é'.repeat(513), 'is longer than 1024 bytes'],
  ])('%j %s', (key, problem) => {
    expect(() => checkKey(key)).toThrow(problem);
  });

  test('that are accepted never lead out of a directory', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '..', '.', '', '/', '\\', 'b c', '%2e%2e', '\0')), (pieces) => {
        const key = pieces.join('/');
        fc.pre(isAccepted(checkKey, key));
        expect(posix.join('/root', key)).toBe(`/root/${key}`);
      }),
    );
  });

  test('are shown in errors so that nothing in them disturbs a terminal', () => {
    expect(() => checkKey('a\n\u001b[31m')).toThrow('"a\\n\\u001b[31m"');
    expect(() => checkKey('x'.repeat(5_000))).toThrow(/^the object name "x{200}\.\.\." is longer/);
  });
});

test('the beginning of every key that is accepted is accepted as a prefix', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(40), (key, length) => {
      fc.pre(isAccepted(checkKey, key));
      const prefix = key.slice(0, length);
      fc.pre(prefix.isWellFormed());
      expect(isAccepted(checkPrefix, prefix)).toBe(true);
    }),
  );
  expect(isAccepted(checkPrefix, '')).toBe(true);
  expect(isAccepted(checkPrefix, '../x')).toBe(false);
  expect(isAccepted(checkPrefix, '/x')).toBe(false);
});
