// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/** The minimum time that each part gets to stop, in milliseconds, however much of the limit others have used. */
const leastShare = 1000;

/** The time limit of a stop as a whole. It counts from the first wait; later waits get the remaining time. */
export class StopLimit {
  readonly #clock: Clock;
  readonly #limit: number;
  #end: number | undefined;

  /** @param limit in milliseconds */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Resolves with true when `work` has ended, with false if it does not in time. */
  async awaits(work: Promise<unknown>): Promise<boolean> {
    const now = this.#clock.monotonic();
    this.#end ??= now + this.#limit;
    const ended = new AbortController();
    const late = this.#clock.sleep(Math.max(leastShare, this.#end - now), ended.signal).then(
      () => false,
      () => true,
    );
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      ended.abort();
    }
  }
}
