// SPDX-License-Identifier: Apache-2.0

/** When an object finished, and for how long it is kept. */
export interface FinishedObject {
  /** `spec.ttlSecondsAfterFinished`. */
  readonly ttlSeconds: number | undefined;
  /** When the object finished according to its status, in milliseconds since the epoch; undefined while it has not finished. */
  readonly finishedAt: number | undefined;
  /** How long this process has seen it as finished, by the monotonic clock, in milliseconds. */
  readonly seenFor: number;
}

/**
 * The wall clock may be wrong, so an operator that has just started does not delete an object before it has seen the object finished for
 * this long.
 */
const leastSight = 60 * 60_000;

/** Milliseconds until a finished object must be deleted, 0 if it is due now; undefined if it is never deleted. */
export function untilExpiry({ ttlSeconds, finishedAt, seenFor }: FinishedObject, now: number): number | undefined {
  if (ttlSeconds === undefined || finishedAt === undefined) return undefined;
  const ttl = ttlSeconds * 1000;
  return Math.max(0, finishedAt + ttl - now, Math.min(ttl, leastSight) - seenFor);
}
