// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { parseCron } from './cron-schedule.ts';

const at = (text: string) => Date.parse(text);
const next = (schedule: string, after: string, timeZone?: string) => {
  const found = parseCron(schedule, timeZone)?.next(at(after));
  return found === undefined ? undefined : new Date(found).toISOString();
};

describe('a schedule', () => {
  test.each([
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00.000Z'],
    ['*/15 * * * *', '2026-01-01T00:07:30Z', '2026-01-01T00:15:00.000Z'],
    ['30 4 1,15 * *', '2026-01-01T05:00:00Z', '2026-01-15T04:30:00.000Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 9-17/4 * * mon-fri', '2026-01-02T13:00:00Z', '2026-01-02T17:00:00.000Z'],
    ['0 0 13 * fri', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00.000Z'],
    ['@hourly', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.000Z'],
    ['@every 90s', '2026-01-01T00:00:00Z', '2026-01-01T00:01:30.000Z'],
    ['5/20 * * * *', '2026-01-01T00:06:00Z', '2026-01-01T00:25:00.000Z'],
  ])('%s comes after %s at %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  test('is meant in its time zone, also where that changes its clocks', () => {
    expect(next('0 9 * * *', '2026-01-01T00:00:00Z', 'Europe/Berlin')).toBe('2026-01-01T08:00:00.000Z');
    expect(next('0 9 * * *', '2026-07-01T00:00:00Z', 'Europe/Berlin')).toBe('2026-07-01T07:00:00.000Z');
    expect(next('30 5 * * *', '2026-01-01T00:01:00Z', 'Asia/Kolkata')).toBe('2026-01-02T00:00:00.000Z');
  });

  test.each(['', '* * * *', '60 * * * *', '* * * * * *', '5-1 * * * *', '*/0 * * * *', 'x * * * *', '1/2/3 * * * *'])(
    '"%s" is none',
    (text) => {
      expect(parseCron(text)).toBeUndefined();
    },
  );

  test('in a time zone that nobody knows is none', () => {
    expect(parseCron('@daily', 'Mars/Olympus')).toBeUndefined();
  });

  test('at midnight is not missed on the day after clocks changed', () => {
    expect(next('30 0 30 3 *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T22:30:00.000Z');
    expect(next('30 0 26 10 *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T23:30:00.000Z');
  });

  test('that never comes has no next time', () => {
    expect(next('0 0 30 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});
