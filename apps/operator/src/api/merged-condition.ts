// SPDX-License-Identifier: Apache-2.0
import type { Condition } from './condition-schema.ts';

/** The new condition for a claim. `lastTransitionTime` changes only with the status, and `lastUpdateTime` with any change. */
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
