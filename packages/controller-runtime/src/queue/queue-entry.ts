// SPDX-License-Identifier: Apache-2.0

/**
 * How soon a key is wanted. `normal` is for what just happened; `low` for start-up lists and resyncs, which must not delay
 * it; `high` for keys that were held back and are due again.
 */
export type Priority = 'high' | 'normal' | 'low';

/** The same as an index: 0 is served first. */
export type Lane = 0 | 1 | 2;

export const laneOf: Readonly<Record<Priority, Lane>> = { high: 0, normal: 1, low: 2 };
export const priorityOf: readonly [Priority, Priority, Priority] = ['high', 'normal', 'low'];

/**
 * What the queue knows of one key; there is at most one entry for a key that is not `abandoned`. The key is at rest if it is
 * neither ready nor processed nor delayed. A key that is `ready` is never delayed as well.
 */
export interface QueueEntry<K> {
  readonly key: K;
  /** Wanted now: it stands in its lane, or, while it is processed, will when that ends. */
  ready: boolean;
  processing: boolean;
  lane: Lane;
  /** Another entry took its place in a better lane; what is left of it in the old lane is skipped. */
  abandoned: boolean;
  /** Monotonic time at which it entered its lane or, while it is processed, at which that began. */
  since: number;
  /** Place in the timer heap, or -1. */
  heapIndex: number;
}

export function newEntry<K>(key: K, lane: Lane): QueueEntry<K> {
  return {
    key,
    ready: false,
    processing: false,
    lane,
    abandoned: false,
    since: 0,
    heapIndex: -1,
  };
}
