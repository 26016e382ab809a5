// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { bytesOf, durationOf } from './spec-values.ts';

test.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5m', 90_000],
  ['0s', 0],
  ['250ms', 250],
])('a duration %s is %d ms', (text, milliseconds) => {
  expect(durationOf(text)).toBe(milliseconds);
});

test.each([undefined, '', '0', '10', '-1s', '+1s', '.5s', '1.s', '1µs', '365d', 'soon', ' 1s'])(
  '%j is no duration of a spec',
  (text) => {
    expect(durationOf(text)).toBeUndefined();
  },
);

test('one that is longer than any is not taken for none: what waits so long must not happen at once', () => {
  const years = durationOf(`${'9'.repeat(60)}h`) ?? 0;
  expect(years / 3_600_000 / 24 / 365).toBeGreaterThan(290);
});

test('a quantity is a number of bytes, and other text is none', () => {
  expect([bytesOf('2Gi'), bytesOf('1500m'), bytesOf(7), bytesOf('much'), bytesOf(undefined)]).toEqual([
    2n ** 31n,
    2n,
    7n,
    undefined,
    undefined,
  ]);
});
