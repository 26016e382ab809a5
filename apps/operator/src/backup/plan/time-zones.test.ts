// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@operator-parts/ports';
import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDue } from './schedule.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Days around which the clocks of a zone change, for every kind of change. */
const changes = [
  ['Pacific/Apia', '2011-12-30', 'a whole day is left out'],
  ['Pacific/Kiritimati', '1995-01-01', 'a whole day is left out'],
  ['Pacific/Apia', '2012-04-01', 'back by an hour'],
  ['America/Sao_Paulo', '2018-11-04', 'midnight is left out'],
  ['America/Sao_Paulo', '2018-02-18', 'back from midnight'],
  ['Africa/Cairo', '2026-04-24', 'midnight is left out'],
  ['Africa/Cairo', '2026-10-30', 'back from midnight'],
  ['Australia/Lord_Howe', '2026-10-04', 'on by half an hour'],
  ['Australia/Lord_Howe', '2026-04-05', 'back by half an hour'],
  ['Antarctica/Troll', '2026-03-29', 'on by two hours'],
  ['Antarctica/Troll', '2026-10-25', 'back by two hours'],
  ['Antarctica/Casey', '2018-03-11', 'back by three hours'],
  ['America/St_Johns', '2010-03-14', 'on at one minute past midnight'],
  ['America/St_Johns', '2010-11-07', 'back at one minute past midnight'],
  ['Asia/Pyongyang', '2018-05-05', 'on by half an hour before midnight'],
  ['Asia/Kathmandu', '1986-01-01', 'on by a quarter of an hour at midnight'],
  ['America/Caracas', '2016-05-01', 'on by half an hour'],
  ['Europe/Berlin', '2026-03-29', 'on by an hour'],
  ['Europe/Berlin', '2026-10-25', 'back by an hour'],
] as const;

const one = (most: number) => fc.nat(most).map(String);
const list = (most: number) =>
  fc.uniqueArray(fc.nat(most), { minLength: 2, maxLength: 4 }).map((values) => values.join());
const minutes = fc.oneof(fc.constantFrom('0', '1', '30', '59', '*/20'), one(59), list(59));
/** Mostly hours at which clocks change. The schedule of every hour is not among them, because it has a rule of its own. */
const hours = fc.oneof(fc.constantFrom('0', '1', '2', '3', '23', '0,23', '1,2', '22-23', '*/5'), one(23), list(23));
/** Schedules for the day on which the clock changes, for the days around it, and for every day. */
const daysAround = (date: string) =>
  fc.oneof(
    fc.constantFrom('* * *', `* ${new Date(date).getUTCMonth() + 1} *`),
    fc.constantFrom(-1, 0, 1).map((away) => `${new Date(Date.parse(date) + away * day).getUTCDate()} * *`),
    fc.nat(6).map((weekday) => `* * ${weekday}`),
  );

/** How far a zone is ahead of UTC. It is read from the platform in another way than the schedule does. */
function offsetAt(timeZone: string, time: number): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(time))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hoursAhead = '0', minutesAhead = '0'] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hoursAhead) * hour + Number(minutesAhead) * minute);
}

/**
 * When the clock of a zone shows a local time (given as the UTC time that reads the same). A time that occurs twice counts the first time;
 * a time that is skipped counts at the moment of the clock change.
 */
function shownAt(offset: (time: number) => number, local: number, changeAt: number): number {
  const offsets = [...new Set([offset(changeAt - 1), offset(changeAt)])];
  const moments = offsets.map((ahead) => local - ahead).filter((time) => time + offset(time) === local);
  return moments.length > 0 ? Math.min(...moments) : changeAt;
}

/** The moment of the clock change, which is within three days. */
function changeWithin(offset: (time: number) => number, from: number, to: number): number {
  let [before, after] = [from, to];
  while (after - before > minute) {
    const middle = before + Math.floor((after - before) / 2 / minute) * minute;
    if (offset(middle) === offset(from)) before = middle;
    else after = middle;
  }
  return after;
}

/** All local times of a schedule, according to a maintained library and with a clock that never changes. */
function localTimes(schedule: string, from: number, to: number): readonly number[] {
  const cron = new Cron(schedule, { timezone: 'UTC', paused: true });
  const found: number[] = [];
  for (let next = cron.nextRun(new Date(from)); next && next.getTime() < to; next = cron.nextRun(next))
    found.push(next.getTime());
  return found;
}

/** All times at which backups are due, in order. */
function dueTimes(schedule: string, timeZone: string, from: number, to: number): readonly number[] {
  const cron = parseCron(schedule, timeZone, 'once');
  if (!cron) throw new Error(schedule);
  const found: number[] = [];
  for (let last = from; ; ) {
    const due = nextDue({ kind: 'cron', cron }, { last, created: from, seenFor: 0 }, last);
    if (due === undefined || due >= to) return found;
    found.push(due);
    last = due;
  }
}

const readable = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());

describe('a series by cron where clocks are set', () => {
  test.each(changes)(
    '%s, %s (%s): a time left out is due when the clock is set, one shown twice is due once',
    (...row) => {
      const [timeZone, date] = row;
      const [from, to] = [Date.parse(date) - 2 * day, Date.parse(date) + 2 * day];
      const known = new Map<number, number>();
      const offset = (time: number) => {
        const ahead = known.get(time) ?? offsetAt(timeZone, time);
        known.set(time, ahead);
        return ahead;
      };
      const changeAt = changeWithin(offset, from, to);
      expect(offset(changeAt)).not.toBe(offset(changeAt - minute));
      fc.assert(
        fc.property(minutes, hours, daysAround(date), (...fields) => {
          const schedule = fields.join(' ');
          const local = localTimes(schedule, from - 2 * day, to + 2 * day);
          const expected = [...new Set(local.map((time) => shownAt(offset, time, changeAt)))]
            .filter((time) => time > from && time < to)
            .toSorted((a, b) => a - b);
          expect([schedule, readable(dueTimes(schedule, timeZone, from, to))]).toEqual([schedule, readable(expected)]);
        }),
        { numRuns: 40 },
      );
    },
  );
});
