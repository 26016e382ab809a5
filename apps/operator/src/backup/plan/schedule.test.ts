// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDue } from './schedule.ts';

const interval = (milliseconds: number) => ({ kind: 'interval', milliseconds }) as const;
const cron = (text: string) => {
  const parsed = parseCron(text);
  if (!parsed) throw new Error(text);
  return { kind: 'cron', cron: parsed } as const;
};
const at = (text: string) => Date.parse(text);

describe('[81] D22: when a periodic backup is due', () => {
  test('the first of an interval at once', () => {
    expect(nextDue(interval(60_000), { last: undefined, created: 0, seenFor: 0 }, 5_000)).toBe(5_000);
  });

  test('the next one interval after the last was due, whenever that was made', () => {
    expect(nextDue(interval(60_000), { last: 1_000, created: 0, seenFor: 0 }, 59_000)).toBe(61_000);
  });

  test('of several that were missed, only the latest', () => {
    expect(nextDue(interval(60_000), { last: 0, created: 0, seenFor: 0 }, 200_000)).toBe(180_000);
  });

  test('a last time far in the future is not believed: the next is due at once, by interval and by cron', () => {
    for (const schedule of [interval(60_000), cron('0 * * * *')])
      expect(nextDue(schedule, { last: 1e12, created: 0, seenFor: 0 }, 1_000)).toBe(1_000);
    expect(nextDue(cron('0 * * * *'), { last: undefined, created: 1e12, seenFor: 0 }, 1_000)).toBe(1_000);
  });

  test('a last time a little ahead does not stop backups either: it is as old as it has been seen', () => {
    const past = (seenFor: number) => ({ last: 90_000, created: 0, seenFor });
    expect(nextDue(interval(60_000), past(0), 30_000)).toBe(90_000);
    expect(nextDue(interval(60_000), past(60_000), 89_000)).toBe(89_000);
    expect(nextDue(cron('* * * * *'), past(40_000), 70_000)).toBe(60_000);
  });

  test('an interval is over when it has passed, also where the clock was set back meanwhile', () => {
    expect(nextDue(interval(3_600_000), { last: 0, created: 0, seenFor: 3_600_000 }, 5_000)).toBe(5_000);
  });

  test('whatever happened, times do not drift: they are whole intervals apart, and never more than one ahead', () => {
    const times = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 1e12 }), fc.nat(1e12));
    fc.assert(
      fc.property(times, ([milliseconds, last, passed]) => {
        const now = last + passed;
        const due = nextDue(interval(milliseconds), { last, created: 0, seenFor: 0 }, now) ?? Number.NaN;
        expect((due - last) % milliseconds).toBe(0);
        expect(due).toBeGreaterThan(last);
        expect(due - now).toBeLessThanOrEqual(milliseconds);
        expect(due > now - milliseconds).toBe(true);
      }),
    );
  });

  test('by cron, at the first fitting time after it was made', () => {
    const past = { last: undefined, created: at('2026-01-01T00:30:00Z'), seenFor: 0 };
    expect(nextDue(cron('0 * * * *'), past, at('2026-01-01T00:31:00Z'))).toBe(at('2026-01-01T01:00:00Z'));
  });

  test('by cron, of several that were missed only the latest, and of very many just now', () => {
    const past = { last: at('2026-01-01T00:00:00Z'), created: 0, seenFor: 0 };
    expect(nextDue(cron('0 * * * *'), past, at('2026-01-01T05:30:00Z'))).toBe(at('2026-01-01T05:00:00Z'));
    const now = at('2026-02-01T00:00:30Z');
    expect(nextDue(cron('* * * * *'), past, now)).toBe(now);
  });

  test('a day that never comes is never due', () => {
    expect(nextDue(cron('0 0 30 2 *'), { last: undefined, created: 0, seenFor: 0 }, 1)).toBeUndefined();
  });
});
