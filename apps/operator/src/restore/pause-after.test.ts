// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { FirstSeen } from '../first-seen.ts';
import { pauseAfter } from './pause-after.ts';
import type { PlannedRestoreStep } from './plan/step.ts';

test('steps without effect are tried less and less often, and other steps at once', () => {
  let now = 0;
  const firstSeen = new FirstSeen({ monotonic: () => now });
  const planned = (step: PlannedRestoreStep['step']) => pauseAfter([{ step, reason: '' }], firstSeen, 'ns/r');
  const pauses = [0, 100, 1_000, 3_600_000].map((at) => {
    now = at;
    return planned({ do: 'deleteSecret' });
  });
  expect(pauses).toEqual([0, 50, 500, 5_000]);
  expect(planned({ do: 'addFinalizer' })).toBe(0);
  expect(pauseAfter([], firstSeen, 'ns/r')).toBe(0);
});
