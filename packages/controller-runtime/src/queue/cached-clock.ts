// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/**
 * Monotonic time, read once per synchronous stretch of code: nothing else can run within one, and reading the clock
 * costs more than a whole turn of the queue. Not for deadlines, which must not end early.
 */
export class CachedClock {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #expire = () => {
    this.#isFresh = false;
  };
  #isFresh = false;
  #now = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  now(): number {
    if (!this.#isFresh) {
      this.#now = this.#clock.monotonic();
      this.#isFresh = true;
      queueMicrotask(this.#expire);
    }
    return this.#now;
  }
}
