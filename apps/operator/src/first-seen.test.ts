// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { FirstSeen } from './first-seen.ts';

test('a thing keeps the moment it was first seen, until it is forgotten', async () => {
  const clock = new VirtualClock();
  const seen = new FirstSeen(clock);
  const first = seen.since('a');
  await clock.advance(5_000);
  expect(seen.since('a')).toBe(first);
  seen.forgetAllBut(new Set(['b']));
  expect(seen.since('a')).toBe(first + 5_000 - (first === 1 ? 1 : 0));
});

test('no moment is 0', () => {
  expect(new FirstSeen({ monotonic: () => 0 }).since('a')).toBeGreaterThan(0);
});

test('a value is as old as this process has seen it, and another value is new', async () => {
  const clock = new VirtualClock();
  const seen = new FirstSeen(clock);
  expect(seen.age('a/due', 5)).toBe(0);
  await clock.advance(1_000);
  expect([seen.age('a/due', 5), seen.age('b/due', 5), seen.age('a/other', 5)]).toEqual([1_000, 0, 0]);
  expect(seen.age('a/due', 6)).toBe(0);
  await clock.advance(1_000);
  seen.forget('a');
  expect([seen.age('a/due', 6), seen.age('b/due', 5)]).toEqual([0, 1_000]);
});
