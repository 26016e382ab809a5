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
  /** What it is recovering from, if anything. */
  readonly problem?: Problem;
}
