// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type Duration, milliseconds } from './duration.ts';

describe('durations', () => {
  test('are milliseconds as numbers, or text with a unit', () => {
    expect([250, '250ms', '30s', '1.5m', '2h'].map((text) => milliseconds(text as Duration))).toEqual([
      250, 250, 30_000, 90_000, 7_200_000,
    ]);
  });

  test('that are none are refused', () => {
    for (const wrong of ['', '10', 's', '-1s', 'ten s', '1d', Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      expect(() => milliseconds(wrong as Duration)).toThrow(/not a duration/);
    }
  });
});
