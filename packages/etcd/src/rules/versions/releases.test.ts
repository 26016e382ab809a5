// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { advisoriesFor } from './advisories.ts';
import { defaultVersion, isNextMinor, minorReleases, supportedVersions, supportOf } from './releases.ts';
import { minorName, versionOf } from './version.ts';

describe('releases', () => {
  test('the default is a maintained 3.6 without a known fault', () => {
    expect(minorName(defaultVersion)).toBe('3.6');
    expect(supportOf(defaultVersion).state).toBe('supported');
    expect(supportedVersions()).toContainEqual(defaultVersion);
    expect(advisoriesFor(defaultVersion)).toEqual([]);
  });

  test('the newest patch of every maintained series has no known fault', () => {
    const maintained = minorReleases.filter((release) => release.endOfLife === undefined);
    expect(maintained.map((release) => release.minor)).toEqual(['3.5', '3.6', '3.7']);
    for (const release of maintained) expect(advisoriesFor(release.newest)).toEqual([]);
  });

  test('series are listed without a gap, each with a patch of its own', () => {
    for (const release of minorReleases) expect(minorName(release.newest)).toBe(release.minor);
    const gaps = minorReleases.filter((release, index) => {
      const before = minorReleases[index - 1];
      return before !== undefined && !isNextMinor(before.newest, release.newest);
    });
    expect(gaps).toEqual([]);
  });

  test.each([
    ['3.7.3', 'supported', /maintained/],
    ['3.5.0', 'supported', /maintained/],
    ['3.4.44', 'endOfLife', /3\.4 has received no fixes since 2026-06/],
    ['3.2.13', 'endOfLife', /one minor at a time/],
    ['3.8.0', 'unknown', /newest minor that it knows is 3\.7/],
    ['2.3.8', 'unknown', /does not know etcd 2\.3/],
  ])('%s is %s', (version, state, reason) => {
    expect(supportOf(versionOf(version))).toEqual({ state, reason: expect.stringMatching(reason) });
  });

  test.each([
    ['3.5.35', '3.6.0', true],
    ['3.5.35', '3.7.0', false],
    ['3.6.0', '3.5.35', false],
    ['3.6.0', '3.6.1', false],
    ['3.9.0', '4.10.0', false],
  ])('%s then %s: next minor is %s', (lower, upper, expected) => {
    expect(isNextMinor(versionOf(lower), versionOf(upper))).toBe(expected);
  });
});
