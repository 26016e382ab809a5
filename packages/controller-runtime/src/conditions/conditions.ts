// SPDX-License-Identifier: Apache-2.0
import { formatTime } from '@operator-parts/kube';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** `metav1.Condition`: one aspect of an object's state, in the form every Kubernetes tool reads. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase, for programs. */
  readonly reason: string;
  /** A sentence for users. */
  readonly message: string;
  /** When `status` last changed. RFC 3339 with whole seconds. */
  readonly lastTransitionTime: string;
  /** The generation of the object that the condition was computed from. */
  readonly observedGeneration?: number;
}

/** A condition to set. `lastTransitionTime` follows from a comparison with the existing condition. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** The condition of a type, if there is one. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True if there is such a condition and its status is `True`. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The conditions with one of them set. `lastTransitionTime` moves only when `status` changes. If nothing changes at
 * all, the very same array is returned, so that a caller can see that there is nothing to write.
 *
 * @param now milliseconds since the epoch
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: NewCondition,
  now: number,
): readonly Condition[] {
  const present = conditions ?? [];
  const held = findCondition(present, condition.type);
  if (held && sameCondition(held, condition)) return present;
  const sameStatus = held?.status === condition.status;
  const lastTransitionTime = sameStatus ? held.lastTransitionTime : formatTime(now);
  const set: Condition = { ...condition, lastTransitionTime };
  return held ? present.map((other) => (other === held ? set : other)) : [...present, set];
}

/** The conditions with several set, in order. */
export function setConditions(
  conditions: readonly Condition[] | undefined,
  changes: readonly NewCondition[],
  now: number,
): readonly Condition[] {
  return changes.reduce<readonly Condition[]>((result, change) => setCondition(result, change, now), conditions ?? []);
}

/** The conditions without the one of this type. Returns the same array if there is none. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const present = conditions ?? [];
  return findCondition(present, type) ? present.filter((condition) => condition.type !== type) : present;
}

function sameCondition(held: Condition, condition: NewCondition): boolean {
  return (
    held.status === condition.status &&
    held.reason === condition.reason &&
    held.message === condition.message &&
    held.observedGeneration === condition.observedGeneration
  );
}
