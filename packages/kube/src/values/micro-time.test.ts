// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMicroTime, formatTime, parseTime } from './micro-time.ts';

test('a MicroTime has exactly six digits behind the second', () => {
  expect(formatMicroTime(Date.parse('2026-01-31T12:00:00Z'))).toBe('2026-01-31T12:00:00.000000Z');
  expect(formatMicroTime(Date.parse('2026-01-31T12:00:00.123Z') + 0.456)).toBe('2026-01-31T12:00:00.123456Z');
  expect(formatMicroTime(-1)).toBe('1969-12-31T23:59:59.999000Z');
});

test('a Time has whole seconds', () => {
  expect(formatTime(Date.parse('2026-01-31T12:00:00.999Z'))).toBe('2026-01-31T12:00:00Z');
});

test('any microsecond survives writing and reading', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 15), max: 2 * 10 ** 15 }), (microseconds) => {
      const text = formatMicroTime(microseconds / 1000);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(Math.round(parseTime(text) * 1000)).toBe(microseconds);
    }),
  );
});

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T14:00:00+02:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
])('%s is read', (text, same) => {
  expect(Math.floor(parseTime(text))).toBe(Date.parse(same));
});

test.each(['', 'yesterday', '2026-01-31', '2026-13-31T12:00:00Z', '2026-01-31 12:00:00Z', '2026-01-31T12:00:00'])(
  '%j is refused',
  (text) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ name: 'ParseError', code: 'Time' }));
  },
);
