// SPDX-License-Identifier: Apache-2.0

/**
 * The priority of a key. `normal` is for changes; `low` for initial lists and resyncs, which must not delay changes;
 * `high` for keys that were held back and are due again.
 */
export type Priority = 'high' | 'normal' | 'low';

/** A priority as an index: 0 is served first. */
export type Lane = 0 | 1 | 2;

export const laneOf: Readonly<Record<Priority, Lane>> = { high: 0, normal: 1, low: 2 };
export const priorityOf: readonly [Priority, Priority, Priority] = ['high', 'normal', 'low'];
