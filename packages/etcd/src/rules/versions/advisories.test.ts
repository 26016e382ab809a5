// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { advisories, advisoriesFor, fixOf } from './advisories.ts';
import { versionOf } from './version.ts';

const idsFor = (version: string) => advisoriesFor(versionOf(version)).map((entry) => entry.id);

describe('advisories (security check 24)', () => {
  test.each([
    ['3.5.33', []],
    ['3.6.14', []],
    ['3.7.1', []],
    ['3.7.0', ['GHSA-xg4h-6gfc-h4m8', 'GHSA-6vch-q96h-7gc3']],
    ['3.6.13', ['GHSA-xg4h-6gfc-h4m8', 'GHSA-6vch-q96h-7gc3']],
    ['3.6.10', ['GHSA-xg4h-6gfc-h4m8', 'GHSA-6vch-q96h-7gc3', 'CVE-2026-44283']],
    ['3.6.9', ['GHSA-xg4h-6gfc-h4m8', 'GHSA-6vch-q96h-7gc3', 'CVE-2026-44283']],
    ['3.4.44', ['GHSA-xg4h-6gfc-h4m8', 'GHSA-6vch-q96h-7gc3']],
  ])('%s is exposed to %j', (version, expected) => {
    expect(idsFor(version)).toEqual(expected);
  });

  test('faults of the authorisation checks hit 3.6.8, 3.5.27 and every 3.3', () => {
    for (const version of ['3.6.8', '3.5.27', '3.4.41', '3.3.27']) {
      expect(idsFor(version)).toEqual(expect.arrayContaining(['CVE-2026-33413', 'CVE-2026-33343']));
    }
  });

  test('operator rule 12: a promoted learner is stored wrongly by 3.5.1 to 3.5.19 only', () => {
    const hits = ['3.4.44', '3.5.0', '3.5.1', '3.5.19', '3.5.20', '3.6.0'].filter((version) =>
      idsFor(version).includes('etcd-19557'),
    );
    expect(hits).toEqual(['3.5.1', '3.5.19']);
  });

  test('a series newer than all that were fixed never had the fault, an older one keeps it', () => {
    expect(idsFor('3.8.0')).toEqual([]);
    expect(idsFor('3.2.13')).toContain('CVE-2020-15106');
  });

  test('the fix within the own series is named, if there is one', () => {
    const watchLeak = advisories[0];
    if (!watchLeak) throw new Error('the table is empty');
    expect(fixOf(versionOf('3.6.2'), watchLeak)).toBe('3.6.14');
    expect(fixOf(versionOf('3.4.23'), watchLeak)).toBeUndefined();
  });

  test('identifiers are unique', () => {
    const ids = advisories.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
