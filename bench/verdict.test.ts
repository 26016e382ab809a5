// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { median, verdict } from './verdict.ts';

describe('verdict', () => {
  test('a ratio at its bar is good enough, in both directions', () => {
    const result = verdict({ wall: 1, throughput: 1.5 }, { wall: { atMost: 1 }, throughput: { atLeast: 1.5 } });
    expect(result).toEqual({
      ratios: { wall: 1, throughput: 1.5 },
      bars: { wall: 1, throughput: 1.5 },
      ok: true,
    });
  });

  test('rounding for people does not move a ratio across its bar', () => {
    const result = verdict({ wall: 1.0004 }, { wall: { atMost: 1 } });
    expect(result.ratios['wall']).toBe(1);
    expect(result.ok).toBe(false);
  });

  test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY])('a bar whose ratio is %s is missed', (wall) => {
    expect(verdict(wall === undefined ? {} : { wall }, { wall: { atMost: 1 } }).ok).toBe(false);
  });

  test('ratios without a bar are reported and not judged', () => {
    expect(verdict({ server: 7 }, {})).toEqual({ ratios: { server: 7 }, bars: {}, ok: true });
  });
});

describe('median', () => {
  test.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[5], 5],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });
});
