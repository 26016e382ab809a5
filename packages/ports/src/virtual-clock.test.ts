// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

test('time stands still until it is advanced', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  await clock.advance(1500);
  expect(clock.now() - start).toBe(1500);
  expect(clock.monotonic()).toBe(1500);
});
