// SPDX-License-Identifier: Apache-2.0
import type { BackOffEntry } from '../pod/pod-facts.ts';

/** The growth of delays, in milliseconds. */
export interface BackOffPolicy {
  readonly initial: number;
  readonly max: number;
}

/** The kubelet's values for both restarts and image pulls; a time factor of 10 makes them ten times shorter. */
export function kubeletBackOff(timeFactor: number): BackOffPolicy {
  return { initial: 10_000 / timeFactor, max: 300_000 / timeFactor };
}

/**
 * When the item that failed at `failedAt` may be retried. An entry of another hash, or an expired one, does not delay.
 */
export function retryAt(
  policy: BackOffPolicy,
  entry: BackOffEntry | undefined,
  hash: string,
  failedAt: number,
): number {
  return isAlive(policy, entry, hash, failedAt) ? failedAt + entry.delay : failedAt;
}

/** The entry after one more attempt. It expires after twice the longest delay without an attempt. */
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
