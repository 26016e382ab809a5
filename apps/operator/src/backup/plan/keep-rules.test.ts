// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type KeepRules, keepAll, keepsAll, keptBy } from './keep-rules.ts';

/** The kept times, oldest first. */
function kept(rules: Partial<KeepRules>, times: readonly string[]): readonly string[] {
  const newestFirst = times.toReversed().map((key) => ({ key, madeAt: Date.parse(key) }));
  const keys = keptBy({ ...keepAll, ...rules }, newestFirst);
  return times.filter((time) => keys.has(time));
}

const hours = (count: number) =>
  Array.from({ length: count }, (_, hour) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString());

describe('which backups the rules keep', () => {
  test('without a rule all', () => {
    expect(kept({}, hours(5))).toEqual(hours(5));
  });

  test('the last ones', () => {
    expect(kept({ last: 2 }, hours(5))).toEqual(hours(5).slice(3));
  });

  test('those within a time of the newest', () => {
    expect(kept({ withinMs: 2 * 3_600_000 }, hours(5))).toEqual(hours(5).slice(2));
  });

  test('the newest of each of the last days', () => {
    expect(kept({ daily: 2 }, hours(60))).toEqual(['2026-01-02T23:00:00.000Z', '2026-01-03T11:00:00.000Z']);
  });

  test('each with the rules that keep it', () => {
    const [old, middle, newest] = ['2026-01-02T22:00:00Z', '2026-01-03T10:00:00Z', '2026-01-03T11:00:00Z'];
    const newestFirst = [newest, middle, old].map((key) => ({ key, madeAt: Date.parse(key) }));
    const rules = keptBy({ ...keepAll, last: 2, daily: 2, monthly: 1 }, newestFirst);
    expect([...rules]).toEqual([
      [newest, ['last', 'daily', 'monthly']],
      [middle, ['last']],
      [old, ['daily']],
    ]);
  });

  test('days without a backup cost none', () => {
    const times = ['2026-01-01T10:00:00Z', '2026-01-20T10:00:00Z', '2026-01-31T10:00:00Z'];
    expect(kept({ daily: 3 }, times)).toEqual(times);
  });

  test('weeks begin on Monday', () => {
    // 2026-01-04 is a Sunday.
    expect(kept({ weekly: 2 }, ['2026-01-03T00:00:00Z', '2026-01-04T23:59:59Z', '2026-01-05T00:00:00Z'])).toEqual([
      '2026-01-04T23:59:59Z',
      '2026-01-05T00:00:00Z',
    ]);
  });

  test('days, weeks and months are those of the time zone', () => {
    const times = ['2026-01-31T22:30:00Z', '2026-01-31T23:30:00Z'];
    expect(kept({ monthly: 2 }, times)).toEqual(times.slice(1));
    expect(kept({ monthly: 2, timeZone: 'Europe/Berlin' }, times)).toEqual(times);
    expect(kept({ daily: 2, timeZone: 'Europe/Berlin' }, times)).toEqual(times);
  });

  test('an hour that the clock shows twice is two', () => {
    const times = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
    expect(kept({ hourly: 2, timeZone: 'Europe/Berlin' }, times)).toEqual(times);
  });

  test('each that one rule keeps stays: a year of hourly backups', () => {
    const rules = { last: 3, hourly: 24, daily: 7, weekly: 4, monthly: 12 };
    const left = kept(rules, hours(365 * 24));
    // The rules overlap: the last 3 are among the 24 hours, the newest belongs to all rules, and Sunday the 27th is among the 7 days.
    expect(left.length).toBe(24 + 6 + 2 + 11);
    expect(left[0]).toBe('2026-01-31T23:00:00.000Z');
  });
});

const someRules: fc.Arbitrary<KeepRules> = fc.record({
  last: fc.integer({ min: 0, max: 4 }),
  hourly: fc.integer({ min: 0, max: 4 }),
  daily: fc.integer({ min: 0, max: 4 }),
  weekly: fc.integer({ min: 0, max: 4 }),
  monthly: fc.integer({ min: 0, max: 4 }),
  withinMs: fc.constantFrom(0, 3_600_000, 86_400_000, 30 * 86_400_000),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
});
const someTimes = fc
  .uniqueArray(fc.integer({ min: 0, max: 400 * 86_400 }), { minLength: 1, maxLength: 60 })
  .map((seconds) => seconds.toSorted((a, b) => a - b).map((second) => ({ key: `${second}`, madeAt: second * 1000 })));

test('pruning after every backup keeps what pruning once at the end would keep, and no period loses its newest', () => {
  fc.assert(
    fc.property(someRules, someTimes, (rules, oldestFirst) => {
      let stored: typeof oldestFirst = [];
      for (const made of oldestFirst) {
        stored = [...stored, made];
        const keys = keptBy(rules, stored.toReversed());
        stored = stored.filter(({ key }) => keys.has(key));
      }
      const atOnce = keptBy(rules, oldestFirst.toReversed());
      expect(stored.map(({ key }) => key)).toEqual(oldestFirst.map(({ key }) => key).filter((key) => atOnce.has(key)));
      expect(stored.at(-1)).toEqual(oldestFirst.at(-1));
    }),
    { numRuns: 500 },
  );
});

test('no more stay than the rules add up to, and more rules never keep less', () => {
  fc.assert(
    fc.property(someRules, someTimes, (rules, oldestFirst) => {
      const newestFirst = oldestFirst.toReversed();
      const { last, hourly, daily, weekly, monthly } = rules;
      const counted = { ...rules, withinMs: 0 };
      const few = keptBy(counted, newestFirst);
      const most = keepsAll(counted) ? newestFirst.length : last + hourly + daily + weekly + monthly;
      expect(few.size).toBeLessThanOrEqual(most);
      const more = keptBy({ ...rules, last: last + 2, daily: daily + 1 }, newestFirst);
      for (const key of keepsAll(counted) ? [] : few.keys()) expect([...more.keys()]).toContain(key);
    }),
    { numRuns: 500 },
  );
});
