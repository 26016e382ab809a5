// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareMinors,
  compareVersions,
  type EtcdVersion,
  formatVersion,
  isAtLeast,
  isSameMinor,
  minorName,
  parseVersion,
  versionOf,
} from './version.ts';

const versions: fc.Arbitrary<EtcdVersion> = fc.record({
  major: fc.nat(5),
  minor: fc.nat(9),
  patch: fc.nat(50),
  prerelease: fc.constantFrom('', '', 'rc.1', 'rc.2', 'rc.10', 'alpha.0', 'beta'),
});

describe('parsing', () => {
  test.each([
    ['3.5.12', '3.5.12'],
    ['v3.6.0', '3.6.0'],
    ['3.6.0-rc.1', '3.6.0-rc.1'],
    ['3.5.12-0', '3.5.12'],
    ['3.6.16+build.7', '3.6.16'],
    ['3.10.0', '3.10.0'],
  ])('%s is read as %s', (text, expected) => {
    expect(formatVersion(versionOf(text))).toBe(expected);
  });

  test.each([
    '',
    '3',
    '3.5',
    'latest',
    '3.5.x',
    ' 3.5.1',
    '3.5.1 ',
    'vv3.5.1',
    '3.5.1-',
    '3.99999.1',
    '3.5.1\n',
    '../3.5.1',
  ])('%j is no version', (text) => {
    expect(parseVersion(text)).toBeUndefined();
    expect(() => versionOf(text)).toThrow(/not a version of etcd/);
  });

  test('what is formatted can be read back', () => {
    fc.assert(
      fc.property(versions, (version) => {
        expect(versionOf(formatVersion(version))).toEqual(version);
      }),
    );
  });

  test('any text is answered without throwing', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseVersion(text)));
  });
});

describe('order', () => {
  test('numbers are compared as numbers, pre-releases come before their release', () => {
    const ordered = [
      '3.2.32',
      '3.4.9',
      '3.4.10',
      '3.5.0',
      '3.6.0-alpha.0',
      '3.6.0-beta',
      '3.6.0-rc.2',
      '3.6.0-rc.10',
      '3.6.0',
      '3.10.0',
      '4.0.0',
    ];
    const shuffled = ordered.map(versionOf).toReversed();
    expect(shuffled.toSorted(compareVersions).map(formatVersion)).toEqual(ordered);
  });

  test('it is a total order', () => {
    fc.assert(
      fc.property(versions, versions, versions, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) || 0);
        const chained = compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0;
        expect(!chained || compareVersions(a, c) <= 0).toBe(true);
        expect(isAtLeast(a, b)).toBe(compareVersions(a, b) >= 0);
      }),
    );
  });

  test('minor series ignore patches and pre-releases', () => {
    expect(isSameMinor(versionOf('3.6.0-rc.1'), versionOf('3.6.16'))).toBe(true);
    expect(isSameMinor(versionOf('3.6.0'), versionOf('4.6.0'))).toBe(false);
    expect(compareMinors(versionOf('3.5.35'), versionOf('3.6.0'))).toBeLessThan(0);
    expect(minorName(versionOf('v3.10.2'))).toBe('3.10');
  });
});
