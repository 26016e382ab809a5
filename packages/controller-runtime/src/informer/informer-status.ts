// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../reflector/problem.ts';

/**
 * How far a cache can be trusted right now. `starting`: no complete view yet. `live`: complete, and the server was heard of
 * within the idle limit. `stale`: it was complete once, but the connection is lost; it serves what it has and catches up by
 * itself.
 */
export interface InformerStatus {
  readonly phase: 'starting' | 'live' | 'stale';
  /** Milliseconds since the server was last heard of; infinite if never. */
  readonly silentFor: number;
  /** How old the copy may be: milliseconds since the server last showed that it is complete; infinite if never. */
  readonly lag: number;
  /** When that was, by the wall clock, in milliseconds since the epoch; absent if never. */
  readonly confirmedAt?: number;
  /** What it is recovering from, if anything. */
  readonly problem?: Problem;
}
