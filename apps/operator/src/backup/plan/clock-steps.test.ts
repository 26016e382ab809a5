// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestPause } from '../backup-fault.ts';
import { type Happening, type History, SteppedSeries } from '../testing/stepped-series.ts';
import type { Schedule } from './schedule.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const year = 365 * 24 * hour;

const pass = (milliseconds: number): Happening => ({ kind: 'pass', milliseconds });
const step = (milliseconds: number): Happening => ({ kind: 'step', milliseconds });
const failing: Happening = { kind: 'outcome', of: 'passing' };
const working: Happening = { kind: 'outcome', of: 'success' };
const restart: Happening = { kind: 'restart' };

const every = (milliseconds: number): Schedule => ({ kind: 'interval', milliseconds });
const cron = (text: string): Schedule => {
  const parsed = parseCron(text);
  if (!parsed) throw new Error(text);
  return { kind: 'cron', cron: parsed };
};
const made = ({ tries }: History) => tries.filter(({ succeeded }) => succeeded).map(({ at }) => at);

describe('a series whose clock is set', () => {
  test('goes on at once when a clock that was a year ahead during a failure is set right', () => {
    const history = SteppedSeries.live(every(hour), [
      pass(minute),
      step(year),
      failing,
      pass(hour),
      step(-year),
      working,
      pass(longestPause),
    ]);
    expect(made(history).length).toBe(2);
  });

  test.each([
    ['by interval', every(hour)],
    ['by cron', cron('0 * * * *')],
  ])('goes on when a clock that was a year ahead during a success is set right, %s', (_, schedule) => {
    const wrong = [pass(minute), step(year), pass(2 * hour), step(-year)];
    const before = made(SteppedSeries.live(schedule, [...wrong])).length;
    expect(before).toBeGreaterThan(1);
    expect(made(SteppedSeries.live(schedule, [...wrong, pass(10 * hour)])).length).toBeGreaterThanOrEqual(before + 10);
    expect(made(SteppedSeries.live(schedule, [...wrong, restart, pass(hour)])).length).toBeGreaterThan(before);
  });

  test('by cron sees that a clock was set forward before the timer of the next backup ends', () => {
    const history = SteppedSeries.live(cron('0 0 * * *'), [pass(minute), step(12 * hour), pass(longestPause)]);
    expect(made(history).length).toBe(1);
  });

  const happening = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.integer({ min: 0, max: 3 * hour }) }),
    fc.constantFrom(300 * second, year, -hour, -second, -year).map(step),
    fc
      .constantFrom('success' as const, 'passing' as const, 'lasting' as const)
      .map((of): Happening => ({ kind: 'outcome', of })),
    fc.constant(restart),
  );
  const happenings = fc.array(happening, { maxLength: 40 });

  /** The longest time without an attempt, also counted from each of the given moments. */
  const longestGap = ({ tries, end }: History, alsoFrom: readonly number[]) => {
    const marks = [0, ...tries.map(({ at }) => at), ...alsoFrom, end].sort((a, b) => a - b);
    return Math.max(0, ...marks.slice(1).map((mark, index) => mark - (marks[index] ?? 0)));
  };
  /** Between two steps of the clock, the largest number of backups in excess of one per elapsed interval. */
  const mostBeyond = ({ tries, steps, end }: History, interval: number) => {
    const edges = [0, ...steps, end];
    const beyond = edges.slice(1).map((to, index) => {
      const count = tries.filter(({ succeeded, stepsBefore }) => succeeded && stepsBefore === index).length;
      return count - Math.floor((to - (edges[index] ?? 0)) / interval);
    });
    return Math.max(...beyond);
  };

  test.each([minute, hour, 24 * hour])(
    'at intervals of %i ms never rests longer than its interval or its longest pause, and makes one more at most',
    (interval) => {
      fc.assert(
        fc.property(happenings, (some) => {
          const history = SteppedSeries.live(every(interval), some);
          const rest = longestGap(history, history.restarts);
          expect(rest).toBeLessThanOrEqual(Math.max(interval, longestPause) + second);
          // One backup that the step may have made due, and one for the interval in progress.
          expect(mostBeyond(history, interval)).toBeLessThanOrEqual(2);
        }),
        // The last missed backup is due at once, and the next one a second later.
        { numRuns: 200, examples: [[[pass(0), step(year), step(-second), pass(second)]]] },
      );
    },
  );

  test('by cron never rests longer than its period after the clock was set, and makes one more at most', () => {
    fc.assert(
      fc.property(happenings, (some) => {
        const history = SteppedSeries.live(cron('0 * * * *'), some);
        const rest = longestGap(history, [...history.restarts, ...history.steps]);
        expect(rest).toBeLessThanOrEqual(hour + longestPause);
        expect(mostBeyond(history, hour)).toBeLessThanOrEqual(2);
      }),
      { numRuns: 30 },
    );
  });

  test('after a failure there is a pause of at least three quarters of a second, unless the clock was set meanwhile', () => {
    fc.assert(
      fc.property(happenings, (some) => {
        const { tries } = SteppedSeries.live({ kind: 'once' }, some);
        const gaps = tries.slice(1).flatMap(({ at, stepsBefore }, index) => {
          const before = tries[index];
          return before?.stepsBefore === stepsBefore ? [at - before.at] : [];
        });
        expect(Math.min(Number.POSITIVE_INFINITY, ...gaps)).toBeGreaterThanOrEqual(750);
      }),
      { numRuns: 200, examples: [[[failing, pass(second), restart, pass(second)]]] },
    );
  });

  test('a single backup is made once, and never rests longer than its longest pause before', () => {
    fc.assert(
      fc.property(happenings, (some) => {
        const history = SteppedSeries.live({ kind: 'once' }, some);
        expect(made(history).length).toBeLessThanOrEqual(1);
        const first = made(history)[0] ?? history.end;
        const rest = longestGap(
          { ...history, end: first },
          history.restarts.filter((at) => at < first),
        );
        expect(rest).toBeLessThanOrEqual(longestPause + second);
      }),
      { numRuns: 200 },
    );
  });
});
