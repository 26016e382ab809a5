// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { defaultRateLimiter } from './rate-limiter.ts';

describe('default rate limiter', () => {
  test('a key grows its own delay and starts over when it is well', () => {
    const limiter = defaultRateLimiter<string>(new ManualClock());
    expect([limiter.when('a'), limiter.when('a'), limiter.when('a'), limiter.when('b')]).toEqual([5, 10, 20, 5]);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(5);
  });

  test('all keys together are slowed down to ten a second', () => {
    const limiter = defaultRateLimiter<number>(new ManualClock());
    for (let key = 0; key < 100; key++) expect(limiter.when(key)).toBe(5);
    expect(limiter.when(100)).toBe(100);
    expect(limiter.when(101)).toBe(200);
  });

  test('after ten thousand failures the first failure of another key still waits ten seconds at most', () => {
    const limiter = defaultRateLimiter<string>(new ManualClock());
    for (let index = 0; index < 10_000; index++) limiter.when(`k${index}`);
    expect(limiter.when('unrelated')).toBe(10_000);
  });

  test('what is a key alone costs others nothing, and does not wait for them', () => {
    const limiter = defaultRateLimiter<string>(new ManualClock());
    for (let index = 0; index < 10_000; index++) limiter.when(`k${index}`, true);
    expect(limiter.when('unrelated')).toBe(5);
    for (let index = 0; index < 10_000; index++) limiter.when(`k${index}`);
    expect(limiter.when('alone', true)).toBe(5);
  });

  test('ten thousand failures of one tenant cost another nothing, and those of many tenants are forgotten in time', () => {
    const limiter = defaultRateLimiter<string>(new ManualClock(), (key) => key.split('/')[0] ?? '');
    for (let index = 0; index < 10_000; index++) limiter.when(`hostile/${index}`);
    expect(limiter.when('good/0')).toBe(5);
    expect(limiter.when('hostile/new')).toBe(10_000);
    for (let index = 0; index < 1024; index++) limiter.when(`tenant-${index}/0`);
    expect(limiter.when('hostile/newer')).toBe(5);
  });

  test('whatever others do, a key never waits longer than its own failures and ten seconds have earned it', () => {
    const step = fc.record({
      key: fc.nat(5),
      alone: fc.boolean(),
      times: fc.integer({ min: 1, max: 400 }),
      wait: fc.nat(20_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const clock = new ManualClock();
        const limiter = defaultRateLimiter<string>(clock);
        const failures = new Map<number, number>();
        for (const { key, alone, times, wait } of steps) {
          for (let index = 0; index < times; index++) limiter.when(`noise-${index}`, alone);
          const own = 5 * 2 ** (failures.get(key) ?? 0);
          failures.set(key, (failures.get(key) ?? 0) + 1);
          const delay = limiter.when(String(key));
          expect(delay).toBeGreaterThanOrEqual(own);
          expect(delay).toBeLessThanOrEqual(Math.max(own, 10_000));
          clock.tick(wait);
        }
      }),
    );
  });
});
