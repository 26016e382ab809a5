// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../reflector/problem.ts';

/**
 * How far a cache can be trusted now. `starting`: no complete view yet. `live`: complete, and the server sent something
 * within the idle limit. `stale`: it was complete, but the connection is lost; it serves its last data and recovers
 * automatically.
 */
export interface InformerStatus {
  readonly phase: 'starting' | 'live' | 'stale';
  /** Milliseconds since the server last sent anything; infinite if never. */
  readonly sinceContact: number;
  /** Maximum age of the copy: milliseconds since the server last showed that it is complete; infinite if never. */
  readonly lag: number;
  /**
   * When the server last showed that the copy is complete, by the wall clock, in milliseconds since the epoch; absent
   * if never.
   */
  readonly confirmedAt?: number;
  /** The problem it is recovering from, if any. */
  readonly problem?: Problem;
}
