// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '@operator-parts/ports';

/** How long synchronous work may run without a turn of the event loop, in milliseconds. */
const longest = 10;

/**
 * Measures the work since the last turn of the event loop. Reconciles that find all data in caches never wait, so a
 * long queue would keep the process from renewing its lease, answering probes and handling SIGTERM.
 */
export class SynchronousWork {
  #since: number | undefined;

  /** True if the event loop needs a turn before more work. Called with the monotonic time before each piece of work. */
  isLong(now: number): boolean {
    if (this.#since !== undefined) return now - this.#since >= longest;
    this.#since = now;
    void nextTurn().then(() => (this.#since = undefined));
    return false;
  }
}
