// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@etcd-operator/ports';
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
