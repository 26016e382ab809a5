// SPDX-License-Identifier: Apache-2.0
import type { Condition } from './condition-schema.ts';

/**
 * A claim as a condition after the conditions that were there. Times move only when something changed: `lastTransitionTime` with the
 * status, `lastUpdateTime` with anything.
 */
export function mergedCondition(
  previous: readonly Condition[],
  claim: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): Condition {
  const old = previous.find(({ type }) => type === claim.type);
  if (old && old.status === claim.status && old.reason === claim.reason && old.message === claim.message) return old;
  const since = old?.status === claim.status ? old.lastTransitionTime : undefined;
  return { ...claim, lastUpdateTime: now, lastTransitionTime: since ?? now };
}
