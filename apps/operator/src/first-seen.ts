// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

interface Sight {
  readonly value: unknown;
  readonly at: number;
}

/**
 * Records when this process first saw values, by its monotonic clock. It does not use times that the API server or a node has recorded:
 * their clocks, and the wall clock of this machine, may jump or be hours off.
 */
export class FirstSeen {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #sights = new Map<string, Sight>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The time since which this key has had this value without interruption; never 0, which callers use for "not at all". */
  since(key: string, value?: unknown): number {
    return Math.max(1, this.#sight(key, value).at);
  }

  /** For how many milliseconds this key has had this value; 0 the first time. */
  age(key: string, value?: unknown): number {
    return this.#clock.monotonic() - this.#sight(key, value).at;
  }

  #sight(key: string, value: unknown): Sight {
    const known = this.#sights.get(key);
    if (known && known.value === value) return known;
    const sight = { value, at: this.#clock.monotonic() };
    this.#sights.set(key, sight);
    return sight;
  }

  /** Forgets a key and all keys below it: for `a` also `a/b`. */
  forget(key: string): void {
    this.#sights.delete(key);
    for (const known of this.#sights.keys()) if (known.startsWith(`${key}/`)) this.#sights.delete(known);
  }

  forgetAllBut(keys: ReadonlySet<string>): void {
    for (const key of this.#sights.keys()) if (!keys.has(key)) this.#sights.delete(key);
  }
}
