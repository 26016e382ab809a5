// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareResourceVersions, isOrderedResourceVersion } from './resource-version.ts';

test('versions are ordered as unbounded decimals', () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(compareResourceVersions(String(a), String(b))).toBe(a === b ? 0 : a < b ? -1 : 1);
    }),
  );
  expect(compareResourceVersions('9007199254740993', '9007199254740992')).toBe(1);
});

test.each(['', '0', '01', '-1', '1.0', 'abc'])('%j has no place in the order', (version) => {
  expect(isOrderedResourceVersion(version)).toBe(false);
  expect(() => compareResourceVersions(version, '1')).toThrow(expect.objectContaining({ code: 'ResourceVersion' }));
  expect(() => compareResourceVersions('1', version)).toThrow(expect.objectContaining({ code: 'ResourceVersion' }));
});
