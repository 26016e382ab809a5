// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minorsBetween, type UpgradeVerdict, upgradeVerdict } from './upgrade-path.ts';
import { versionOf } from './version.ts';

interface Row {
  readonly from: string;
  readonly to: string;
  /** Undefined: no member answered. */
  readonly cluster?: string | undefined;
  readonly oldest?: string;
  readonly kind: UpgradeVerdict['kind'];
  readonly reason: RegExp;
}

function judge({ from, to, cluster, oldest }: Omit<Row, 'kind' | 'reason'>): UpgradeVerdict {
  return upgradeVerdict(versionOf(from), versionOf(to), {
    clusterVersion: cluster === undefined ? undefined : versionOf(cluster),
    ...(oldest === undefined ? {} : { oldestRunning: versionOf(oldest) }),
  });
}

const rows: readonly Row[] = [
  // within a minor
  { from: '3.6.16', to: '3.6.16', cluster: '3.6.0', kind: 'same', reason: /all members run 3\.6\.16/ },
  { from: '3.6.14', to: '3.6.16', cluster: '3.6.0', kind: 'patch', reason: /stays within 3\.6/ },
  { from: '3.6.16', to: '3.6.14', cluster: '3.6.0', kind: 'patch', reason: /stays within 3\.6/ },
  { from: '3.6.16', to: '3.6.14', kind: 'patch', reason: /stays within 3\.6/ },
  { from: '3.6.16', to: '3.6.16', cluster: '3.6.0', oldest: '3.6.14', kind: 'patch', reason: /3\.6\.14 to 3\.6\.16/ },
  { from: '3.2.13', to: '3.2.32', cluster: '3.2.0', kind: 'patch', reason: /stays within 3\.2/ },
  // one minor up
  { from: '3.3.25', to: '3.4.44', cluster: '3.3.0', kind: 'minor', reason: /is the next minor after/ },
  { from: '3.4.23', to: '3.5.35', cluster: '3.4.0', kind: 'minor', reason: /is the next minor after/ },
  { from: '3.5.33', to: '3.6.16', cluster: '3.5.0', kind: 'minor', reason: /is the next minor after/ },
  { from: '3.6.11', to: '3.7.3', cluster: '3.6.0', kind: 'minor', reason: /is the next minor after/ },
  // patch floors
  { from: '3.5.25', to: '3.6.16', cluster: '3.5.0', kind: 'refused', reason: /Upgrade to 3\.5\.32 or newer first/ },
  { from: '3.6.10', to: '3.7.3', cluster: '3.6.0', kind: 'refused', reason: /Upgrade to 3\.6\.11 or newer first/ },
  {
    from: '3.5.33',
    to: '3.6.16',
    cluster: '3.5.0',
    oldest: '3.5.12',
    kind: 'refused',
    reason: /3\.5\.12 cannot be upgraded/,
  },
  // the cluster is still upgrading, or its version is unknown
  { from: '3.5.33', to: '3.6.16', kind: 'wait', reason: /cluster version is not known/ },
  { from: '3.6.16', to: '3.7.3', cluster: '3.5.0', kind: 'wait', reason: /upgrade to 3\.6 is not finished/ },
  {
    from: '3.6.16',
    to: '3.7.3',
    cluster: '3.6.0',
    oldest: '3.5.33',
    kind: 'wait',
    reason: /oldest member runs 3\.5\.33/,
  },
  { from: '3.6.16', to: '3.7.3', cluster: '3.0.0', kind: 'wait', reason: /cluster version is 3\.0/ },
  // continuing a minor upgrade
  {
    from: '3.6.16',
    to: '3.6.16',
    cluster: '3.5.0',
    oldest: '3.5.33',
    kind: 'minor',
    reason: /3\.6 is the next minor after 3\.5/,
  },
  // skips
  {
    from: '3.4.23',
    to: '3.6.16',
    cluster: '3.4.0',
    kind: 'refused',
    reason: /one minor at a time\. Upgrade to 3\.5 first/,
  },
  { from: '3.2.13', to: '3.6.16', cluster: '3.2.0', kind: 'refused', reason: /3\.3, then 3\.4, then 3\.5 first/ },
  { from: '3.7.3', to: '3.8.0', cluster: '3.7.0', kind: 'refused', reason: /does not know etcd 3\.8/ },
  { from: '3.6.16', to: '4.0.0', cluster: '3.6.0', kind: 'refused', reason: /does not know etcd 4\.0/ },
  // rollback while the cluster version still fits
  { from: '3.6.16', to: '3.5.33', cluster: '3.5.0', kind: 'rollback', reason: /cluster version is still 3\.5/ },
  { from: '3.7.3', to: '3.6.16', cluster: '3.6.0', kind: 'rollback', reason: /cluster version is still 3\.6/ },
  { from: '3.5.33', to: '3.4.23', cluster: '3.4.0', kind: 'rollback', reason: /cluster version is still 3\.4/ },
  { from: '3.6.16', to: '3.5.33', cluster: '3.5.0', oldest: '3.5.33', kind: 'rollback', reason: /is still 3\.5/ },
  // just after a cancelled downgrade: no member was downgraded, and the cluster version rises in a moment
  { from: '3.6.16', to: '3.5.33', cluster: '3.5.0', oldest: '3.6.16', kind: 'wait', reason: /all members run 3\.6/ },
  { from: '3.6.16', to: '3.5.33', kind: 'wait', reason: /cluster version is not known/ },
  { from: '3.6.16', to: '3.5.33', cluster: '3.0.0', kind: 'wait', reason: /have not agreed/ },
  // downgrade
  { from: '3.6.16', to: '3.5.33', cluster: '3.6.0', kind: 'downgrade', reason: /can be downgraded from/ },
  { from: '3.7.3', to: '3.6.16', cluster: '3.7.0', kind: 'downgrade', reason: /can be downgraded from/ },
  { from: '3.7.3', to: '3.6.16', cluster: '3.7.0', oldest: '3.6.16', kind: 'wait', reason: /all members run 3\.7/ },
  { from: '3.7.3', to: '3.5.33', cluster: '3.7.0', kind: 'refused', reason: /more than one minor/ },
  {
    from: '3.5.33',
    to: '3.4.23',
    cluster: '3.5.0',
    kind: 'refused',
    reason: /only etcd 3\.6 and newer can be downgraded/,
  },
];

describe('the way from one version to another (operator rule 3, etcd fact 6)', () => {
  test.each(rows)('$from to $to, cluster version $cluster, oldest $oldest: $kind', (row) => {
    const verdict = judge(row);
    expect(verdict.kind).toBe(row.kind);
    expect(verdict.reason).toMatch(row.reason);
  });

  test('3.5.26 to 3.5.31 may go to 3.6, with the advice to patch first', () => {
    expect(judge({ from: '3.5.26', to: '3.6.16', cluster: '3.5.0' })).toMatchObject({
      kind: 'minor',
      advice: expect.stringContaining('3.5.32'),
    });
    expect(judge({ from: '3.5.32', to: '3.6.16', cluster: '3.5.0' })).toMatchObject({
      kind: 'minor',
      advice: undefined,
    });
  });

  test('a downgrade names the target as etcd wants it', () => {
    expect(judge({ from: '3.6.16', to: '3.5.33', cluster: '3.6.0' })).toMatchObject({ target: '3.5.0' });
  });

  test('a patch says whether it goes up or down', () => {
    expect(judge({ from: '3.6.14', to: '3.6.16', cluster: '3.6.0' })).toMatchObject({ direction: 'up' });
    expect(judge({ from: '3.6.16', to: '3.6.14', cluster: '3.6.0' })).toMatchObject({ direction: 'down' });
  });
});

describe('over all versions', () => {
  const version = fc.record({
    major: fc.constantFrom(3, 3, 3, 3, 2, 4),
    minor: fc.nat(9),
    patch: fc.nat(40),
    prerelease: fc.constantFrom('', '', 'rc.0'),
  });
  const facts = fc.record({ clusterVersion: fc.option(version, { nil: undefined }), oldestRunning: version });

  test('every pair gets a verdict with a sentence', () => {
    fc.assert(
      fc.property(version, version, facts, (from, to, known) => {
        expect(upgradeVerdict(from, to, known).reason.length).toBeGreaterThan(10);
      }),
    );
  });

  test('a member is never brought to a minor that is more than one above the cluster version', () => {
    fc.assert(
      fc.property(version, version, facts, (from, to, known) => {
        const { kind } = upgradeVerdict(from, to, known);
        if (kind !== 'minor') return;
        const { major = Number.NaN, minor = Number.NaN } = known.clusterVersion ?? {};
        // A minor of an older major is below every minor of a newer one.
        expect(to.major < major ? 0 : to.minor - minor).toBeLessThanOrEqual(1);
        expect(to.major).toBeLessThanOrEqual(major);
      }),
    );
  });

  test('nothing goes below the cluster version but by the downgrade procedure', () => {
    fc.assert(
      fc.property(version, version, facts, (from, to, known) => {
        const { kind } = upgradeVerdict(from, to, known);
        const below =
          known.clusterVersion !== undefined && to.minor < known.clusterVersion.minor && to.minor < from.minor;
        expect(!below || ['downgrade', 'wait', 'refused'].includes(kind)).toBe(true);
      }),
    );
  });

  test('the series between two versions are listed in order', () => {
    expect(minorsBetween(versionOf('3.2.0'), versionOf('3.6.0'))).toEqual(['3.3', '3.4', '3.5']);
    expect(minorsBetween(versionOf('3.5.0'), versionOf('3.6.0'))).toEqual([]);
    expect(minorsBetween(versionOf('3.6.0'), versionOf('3.5.0'))).toEqual([]);
    expect(minorsBetween(versionOf('3.6.0'), versionOf('4.9.0'))).toEqual([]);
  });
});
