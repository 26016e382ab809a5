// SPDX-License-Identifier: Apache-2.0
import type { BackOffEntry } from '../pod/pod-facts.ts';

/** How delays grow, in milliseconds. */
export interface BackOffPolicy {
  readonly initial: number;
  readonly max: number;
}

/** What the kubelet does for restarts and for image pulls alike; a time factor of 10 makes it ten times as fast. */
export function kubeletBackOff(timeFactor: number): BackOffPolicy {
  return { initial: 10_000 / timeFactor, max: 300_000 / timeFactor };
}

/** When the thing that failed at `failedAt` may be tried again. An entry of another hash, or a forgotten one, does not delay. */
export function retryAt(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  hash: string,
  failedAt: number,
): number {
  return isAlive(policy, entry, hash, failedAt) ? failedAt + entry.delay : failedAt;
}

/** The entry after one more attempt. It is forgotten when twice the longest delay has passed without one. */
export function nextEntry(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  hash: string,
  now: number,
): BackOffEntry {
  const delay = isAlive(policy, entry, hash, now) ? Math.min(entry.delay * 2, policy.max) : policy.initial;
  return { delay, updatedAt: now, hash };
}

function isAlive(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  hash: string,
  now: number,
): entry is BackOffEntry {
  return entry !== undefined && entry.hash === hash && now - entry.updatedAt <= 2 * policy.max;
}

/** A duration as Go prints it: `10s`, `1m20s`, `500ms`. */
export function goDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = Math.round(milliseconds) / 1000;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const rest = `${Number((seconds % 60).toFixed(3))}s`;
  if (hours > 0) return `${hours}h${minutes % 60}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
