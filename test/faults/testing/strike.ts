// SPDX-License-Identifier: Apache-2.0

/**
 * What happens at the k-th write of an operator:
 *
 * - `killed`: the write takes effect; the operator is killed (SIGKILL) before it hears of it, and another one begins.
 * - `late`: the operator is killed with the write on its way; it takes effect when its successor is at work already.
 * - `unanswered`: the write takes effect and its answer is lost; the same operator goes on.
 * - `stale`: as `killed`, and for two seconds the successor sees the world as it was three writes ago (Sieve's time travel).
 * - `unobserved`: the operator's watches fall silent at this write, and resume two seconds later by a new list (Sieve's unobserved states).
 */
export type StrikeKind = 'killed' | 'late' | 'unanswered' | 'stale' | 'unobserved';

export interface Strike {
  readonly kind: StrikeKind;
  /** Which write, counted from 1. */
  readonly at: number;
  /** What a write begins with that counts: how many others come before one differs from run to run. @default every write counts */
  readonly of?: string;
}

/** How many writes ago the stale world was. */
export const staleBy = 3;

/** How long a late write is on its way, and how long a world stays stale or unobserved, in milliseconds. */
export const strikeLasts = { late: 1_500, world: 2_000 } as const;
