// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('a duration', () => {
  test.each([
    ['0', 0, '0s'],
    ['10s', 10_000, '10s'],
    ['1h30m', 5_400_000, '1h30m0s'],
    ['90m', 5_400_000, '1h30m0s'],
    ['-1.5h', -5_400_000, '-1h30m0s'],
    ['1.5ms', 1.5, '1.5ms'],
    ['100us', 0.1, '100µs'],
    ['100µs', 0.1, '100µs'],
    ['7ns', 0.000007, '7ns'],
    ['1m.5s', 60_500, '1m0.5s'],
    ['+2s', 2000, '2s'],
    ['-0s', 0, '0s'],
    ['26h', 93_600_000, '26h0m0s'],
  ])('%s is %d ms and written as %s', (text, milliseconds, canonical) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(formatDuration(milliseconds)).toBe(canonical);
  });

  test.each(['', '10', '1d', 's', '1h 30m', '1,5s', '--1s', '1e3s', '9999999h', ' 1s', 'Infinity'])(
    '%j is refused',
    (text) => {
      expect(() => parseDuration(text)).toThrow(expect.objectContaining({ name: 'ParseError', code: 'Duration' }));
    },
  );

  test('of any whole number of microseconds survives writing and reading', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (microseconds) => {
        expect(parseDuration(formatDuration(microseconds / 1000))).toBeCloseTo(microseconds / 1000, 6);
      }),
    );
  });
});

test('a text without end is refused in the time it takes to read it', () => {
  expect(() => parseDuration(`${'1'.repeat(400_000)}x`)).toThrow('is not a duration');
  expect(() => parseDuration(`${'1m'.repeat(200_000)}x`)).toThrow('is not a duration');
}, 5_000);
