// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOwnKey } from '../backup/act/stored/leftovers.ts';
import { parsePeriodicKey, seriesPrefix } from '../backup/plan/backup-names.ts';
import { manifestPath, snapshotPath } from '../storage/manifest.ts';
import { parseSegmentKey, segmentKey } from './segment-names.ts';

const base = 'dir/cluster.backup';
const about = { clusterId: 'cdf818194e3a8c32', from: 1_234n, to: 1_300n, lastAt: Date.UTC(2026, 10, 18, 4, 22, 31, 7) };
const key = 'dir/cluster.backup.changes/cdf818194e3a8c32/0000000000000001234-0000000000000001300_20261118T042231.007Z';

const names = fc.record({
  clusterId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => id.toString(16)),
  from: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  more: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  lastAt: fc.nat({ max: 4_000_000_000_000 }),
});

describe('the name of a segment', () => {
  test('says of which cluster and which revisions it is, and until when', () => {
    expect(segmentKey(base, about)).toBe(key);
    expect(parseSegmentKey(base, key)).toEqual({ key, ...about });
  });

  test('is read back as it was written, and sorts by revision', () => {
    fc.assert(
      fc.property(names, names, (a, b) => {
        const [one, other] = [a, b].map(({ more, ...name }) => ({ ...name, to: name.from + more }));
        if (!one || !other) return;
        const [oneKey, otherKey] = [segmentKey(base, one), segmentKey(base, { ...other, clusterId: one.clusterId })];
        expect(parseSegmentKey(base, oneKey)).toEqual({ key: oneKey, ...one });
        expect(oneKey < otherKey || one.from === other.from).toBe(one.from <= other.from);
      }),
    );
  });

  test.each([
    key.replace('1234', '1301'),
    key.replace('20261118', '20261318'),
    key.replace('cdf8', 'CDF8'),
    `${key}.manifest.json`,
    key.replace('.changes', '.change'),
    key.replace('dir/', 'other/'),
    key.replace('0001234', '1234'),
  ])('is not %s', (other) => {
    expect(parseSegmentKey(base, other)).toBeUndefined();
  });

  test('is never taken for a backup of the series, for a manifest or for what an attempt left', () => {
    expect(key.startsWith(seriesPrefix(base))).toBe(false);
    expect(parsePeriodicKey(base, snapshotPath(key))).toBeUndefined();
    expect(isOwnKey(base, key)).toBe(false);
    expect(key.endsWith(manifestPath(''))).toBe(false);
  });
});
