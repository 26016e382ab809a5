// SPDX-License-Identifier: Apache-2.0
import { Cron } from 'croner';
import fc from 'fast-check';
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

  test('is in its time zone, also where that changes its clocks', () => {
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

  test('with an unknown time zone is invalid', () => {
    expect(parseCron('@daily', 'Mars/Olympus')).toBeUndefined();
  });

  test('at midnight is not missed on the day after clocks changed', () => {
    expect(next('30 0 30 3 *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T22:30:00.000Z');
    expect(next('30 0 26 10 *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T23:30:00.000Z');
  });

  test.each([
    ['0 3 * * *', 'America/Caracas', '2016-04-30T12:00:00Z', '2016-05-01T07:00:00.000Z', 'from 2:30 to 3:00'],
    ['0 0 * * *', 'Asia/Pyongyang', '2018-05-04T12:00:00Z', '2018-05-04T15:00:00.000Z', 'from 23:30 to 0:00'],
    ['1 1 * * *', 'America/St_Johns', '2010-03-13T12:00:00Z', '2010-03-14T03:31:00.000Z', 'from 0:01 to 1:01'],
    [
      '0 0 * * mon',
      'Antarctica/Troll',
      '2026-03-28T12:00:00Z',
      '2026-03-29T22:00:00.000Z',
      'from 1:00 to 3:00 the day before',
    ],
  ])('%s in %s after %s comes at %s, where the clock is set %s', (schedule, timeZone, after, expected) => {
    expect(next(schedule, after, timeZone)).toBe(expected);
  });

  test('that never comes has no next time', () => {
    expect(next('0 0 30 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});

describe('where clocks are set for summer and winter', () => {
  const all = (schedule: string, timeZone: string, from: string, to: string) => {
    const cron = parseCron(schedule, timeZone, 'once');
    const found: string[] = [];
    for (let time = cron?.next(at(from)); time !== undefined && time < at(to); time = cron?.next(time))
      found.push(new Date(time).toISOString().slice(5, 16));
    return found;
  };

  test.each([
    ['30 2 * * *', 'Europe/Berlin', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
    ['15,45 2 * * *', 'Europe/Berlin', ['03-28T01:15', '03-28T01:45', '03-29T01:00', '03-30T00:15', '03-30T00:45']],
    ['0 3 * * *', 'Europe/Berlin', ['03-28T02:00', '03-29T01:00', '03-30T01:00']],
    ['0 2,3 29 * *', 'Europe/Berlin', ['03-29T01:00']],
    ['30 2 * * *', 'UTC', ['03-28T02:30', '03-29T02:30', '03-30T02:30']],
  ])('%s in %s: a time that the clock leaves out comes when it is set, and once', (schedule, timeZone, expected) => {
    expect(all(schedule, timeZone, '2026-03-28T00:00:00Z', '2026-03-30T20:00:00Z')).toEqual(expected);
  });

  test.each([
    ['30 2 * * *', 'Europe/Berlin', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
    ['45 1 * * *', 'Australia/Lord_Howe', ['10-23T14:45', '10-24T14:45', '10-25T14:45']],
  ])('%s in %s: a time that the clock shows twice comes once', (schedule, timeZone, expected) => {
    expect(all(schedule, timeZone, '2026-10-23T12:00:00Z', '2026-10-26T12:00:00Z').slice(0, 3)).toEqual(expected);
  });

  test('a schedule of every hour goes on by the hour', () => {
    const found = all('30 * * * *', 'Europe/Berlin', '2026-10-24T23:00:00Z', '2026-10-25T04:00:00Z');
    expect(found).toEqual(['10-24T23:30', '10-25T00:30', '10-25T01:30', '10-25T02:30', '10-25T03:30']);
  });

  test('a day that a country has left out comes when it was left out', () => {
    const found = all('0 9 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', '2012-01-30T00:00:00Z');
    expect(found).toEqual(['12-30T10:00']);
  });

  /**
   * When the clock is set forward, the library moves skipped times by the same amount; when it is set back, it skips an
   * hour. After a day that February does not have it skips the first days of March, so steps of days end with the 28th.
   */
  test('on all other days they come when a well-kept library says', () => {
    const field = (most: number, least = 0, all = '*') =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: least, max: most }).map(String),
        fc.integer({ min: 2, max: Math.min(20, most) }).map((step) => `${all}/${step}`),
        fc
          .uniqueArray(fc.integer({ min: least, max: most }), { minLength: 2, maxLength: 4 })
          .map((list) => list.join()),
      );
    const schedules = fc
      .tuple(field(59), field(23), field(28, 1, '1-28'), field(12, 1), field(6))
      .filter(([, , day, , weekday]) => day === '*' || weekday === '*')
      .map((fields) => fields.join(' '));
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'America/St_Johns',
    );
    const times = fc.integer({ min: at('2026-01-01T00:00:00Z') / 1000, max: at('2028-01-01T00:00:00Z') / 1000 });
    fc.assert(
      fc.property(schedules, zones, times, (schedule, timezone, second) => {
        const ours = parseCron(schedule, timezone, 'once')?.next(second * 1000);
        const theirs = new Cron(schedule, { timezone, paused: true }).nextRun(new Date(second * 1000))?.getTime();
        expect(ours === theirs || setNear(timezone, Math.min(ours ?? 0, theirs ?? 0))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('a day that February does not have is left out, and the first of March is not', () => {
    const days = parseCron('0 0 */5 * *', 'UTC', 'once');
    expect(days?.next(at('2027-02-26T10:00:00Z'))).toBe(at('2027-03-01T00:00:00Z'));
    expect(days?.next(at('2028-02-26T10:00:00Z'))).toBe(at('2028-03-01T00:00:00Z'));
  });

  /** True if the clock is set forward or back within a day of this time. */
  function setNear(timeZone: string, time: number): boolean {
    const offset = (moment: number) =>
      new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
        .formatToParts(new Date(moment))
        .find(({ type }) => type === 'timeZoneName')?.value;
    return offset(time - 86_400_000) !== offset(time + 86_400_000);
  }

  test('no schedule comes twice at once, or leaves a day out that it names every day', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago');
    fc.assert(
      fc.property(fc.nat(59), fc.nat(23), zones, (minuteOf, hourOf, zone) => {
        const cron = parseCron(`${minuteOf} ${hourOf} * * *`, zone, 'once');
        let time = at('2026-01-01T00:00:00Z');
        for (let day = 0; day < 400; day++) {
          const following = cron?.next(time) ?? 0;
          const hours = day > 0 ? (following - time) / 3_600_000 : 24;
          expect([new Date(time).toISOString(), hours > 22 && hours < 26]).toEqual([expect.any(String), true]);
          time = following;
        }
      }),
      { numRuns: 12 },
    );
  });
});
