// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { changesRanges } from './changes-range.ts';

const segment = (clusterId: string, from: bigint, to: bigint, lastAt: number) => {
  return { key: `${clusterId}/${from}`, clusterId, from, to, lastAt };
};

test('segments that follow each other or overlap are one range, and a gap or another cluster begins a new one', () => {
  const ranges = changesRanges([
    segment('b', 1n, 2n, 900),
    segment('a', 11n, 20n, 200),
    segment('a', 1n, 10n, 100),
    segment('a', 15n, 18n, 400),
    segment('a', 18n, 30n, 300),
    segment('a', 32n, 33n, 500),
  ]);
  expect(ranges).toEqual([
    { clusterId: 'a', from: 1n, to: 30n, lastAt: 300, segments: 4 },
    { clusterId: 'a', from: 32n, to: 33n, lastAt: 500, segments: 1 },
    { clusterId: 'b', from: 1n, to: 2n, lastAt: 900, segments: 1 },
  ]);
});
