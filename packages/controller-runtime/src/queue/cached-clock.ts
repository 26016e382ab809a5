// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/**
 * Monotonic time that is read once per synchronous stretch of code. Within such a stretch nothing else runs, and
 * reading the clock would cost more than handing out a key. Not for deadlines, which must not end early.
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
