// SPDX-License-Identifier: Apache-2.0
import type { FirstSeen } from '../first-seen.ts';
import type { PlannedRestoreStep } from './plan/step.ts';

/** The longest pause between two attempts at the same steps, in milliseconds. */
const longest = 5_000;

/**
 * Steps that are planned again and again have no effect, for example because an admission webhook undoes what they write: the pause before
 * they are tried again grows with the time since they were planned first.
 */
export function pauseAfter(steps: readonly PlannedRestoreStep[], firstSeen: FirstSeen, restore: string): number {
  const since = firstSeen.age(`${restore}/steps`, steps.map(({ step }) => step.do).join());
  return steps.length === 0 ? 0 : Math.min(since / 2, longest);
}
