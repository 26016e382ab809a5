// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/** The maximum number of names; the oldest ones are dropped first. */
const capacity = 10_000;

/**
 * Names that did not exist when a client asked for them. For a while they get a negative answer even if they have been
 * created since, as from the DNS caches of real clusters.
 */
export class NegativeCache {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  has(name: string): boolean {
    const until = this.#until.get(name.toLowerCase());
    if (until === undefined) return false;
    if (this.#clock.monotonic() < until) return true;
    this.#until.delete(name.toLowerCase());
    return false;
  }

  add(name: string, milliseconds: number): void {
    if (milliseconds <= 0) return;
    this.#until.set(name.toLowerCase(), this.#clock.monotonic() + milliseconds);
    if (this.#until.size <= capacity) return;
    const oldest = this.#until.keys().next();
    if (!oldest.done) this.#until.delete(oldest.value);
  }

  clear(): void {
    this.#until.clear();
  }
}
