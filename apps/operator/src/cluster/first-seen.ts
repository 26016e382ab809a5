// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';

/**
 * Since when this operator has seen things, by its monotonic clock. Times that the API server or a node wrote are not measured
 * against: their clocks, and this machine's wall clock, may jump or be hours away.
 */
export class FirstSeen {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #moments = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The moment of the first call with this key; never 0, which stands for "not". */
  since(key: string): number {
    const known = this.#moments.get(key);
    if (known !== undefined) return known;
    const now = Math.max(1, this.#clock.monotonic());
    this.#moments.set(key, now);
    return now;
  }

  forget(key: string): void {
    this.#moments.delete(key);
  }

  forgetAllBut(keys: ReadonlySet<string>): void {
    for (const key of this.#moments.keys()) if (!keys.has(key)) this.#moments.delete(key);
  }
}
