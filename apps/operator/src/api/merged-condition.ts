// SPDX-License-Identifier: Apache-2.0
import type { Condition } from './condition-schema.ts';

/**
 * The condition for the status of an object: `claim`, with both times. `lastTransitionTime` is when `status` last changed, `lastUpdateTime`
 * is when anything in the condition last changed.
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
