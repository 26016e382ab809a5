// SPDX-License-Identifier: Apache-2.0

/** What is known of the end of an object's work. */
export interface FinishedObject {
  /** `spec.ttlSecondsAfterFinished`. */
  readonly ttlSeconds: number | undefined;
  /** When it finished, as its status records it, in milliseconds since the epoch; undefined while it has work. */
  readonly finishedAt: number | undefined;
  /** How long this process has seen it finished, by the monotonic clock, in milliseconds. */
  readonly seenFor: number;
}

/** An operator that has just started, on a clock that may have been set, deletes nothing before it has watched for this long. */
const leastSight = 60 * 60_000;

/** Milliseconds until a finished object is to be deleted, 0 if that is now; undefined if it never is. */
export function untilExpiry({ ttlSeconds, finishedAt, seenFor }: FinishedObject, now: number): number | undefined {
  if (ttlSeconds === undefined || finishedAt === undefined) return undefined;
  const ttl = ttlSeconds * 1000;
  return Math.max(0, finishedAt + ttl - now, Math.min(ttl, leastSight) - seenFor);
}
