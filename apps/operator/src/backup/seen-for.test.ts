// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@etcd-operator/ports';
import { expect, test } from 'vitest';
import { SeenFor } from './seen-for.ts';

test('a value is as old as this process has seen it, and another value is new', async () => {
  const clock = new VirtualClock();
  const seen = new SeenFor(clock);
  expect(seen.of('a', 'due', 5)).toBe(0);
  await clock.advance(1_000);
  expect([seen.of('a', 'due', 5), seen.of('b', 'due', 5), seen.of('a', 'other', 5)]).toEqual([1_000, 0, 0]);
  expect(seen.of('a', 'due', 6)).toBe(0);
  await clock.advance(1_000);
  seen.forget('a');
  expect([seen.of('a', 'due', 6), seen.of('b', 'due', 5)]).toEqual([0, 1_000]);
});
