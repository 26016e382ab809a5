// SPDX-License-Identifier: Apache-2.0

/** Where the probe of an operator answers. */
export const probePort = 9_999;

/** What a process holds once its garbage is collected. Sizes are in bytes. */
export interface Held {
  readonly resident: number;
  /** The same, with what it shares with others divided among them. */
  readonly proportional: number;
  /** JavaScript objects. */
  readonly heap: number;
  /** What hangs on them outside of the heap: buffers, most of them for uploads. A part that was never written to is not resident. */
  readonly external: number;
  readonly sockets: number;
  /** Timers that are set. */
  readonly timers: number;
  /** Everything else that keeps the process alive: connections, servers, requests under way. */
  readonly handles: number;
}

/** What one operator held at a moment. */
export interface Sample extends Held {
  /** Minutes since everything ran. */
  readonly at: number;
  readonly pod: string;
  /** Watches that all operators have open together, as the API server counts them. */
  readonly watches: number;
  /** Nothing was disturbed, and every cluster was settled. */
  readonly isAtRest: boolean;
}
