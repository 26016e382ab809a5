// SPDX-License-Identifier: Apache-2.0

/** The result of a call. A failure after its effect is the worse one: the caller cannot detect it. */
export type Fate = 'none' | 'before effect' | 'after effect';

/** Failures for tests: every nth call fails, alternately before and after it has taken effect. */
export class FailurePlan {
  #every = 0;
  #calls = 0;
  #failed = 0;

  /** How many calls have failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Makes every `n`th call fail from now on; 0 ends this. */
  failEvery(n: number): void {
    this.#every = n;
    this.#calls = 0;
  }

  /** The result of the next call. */
  next(): Fate {
    if (this.#every === 0 || ++this.#calls % this.#every !== 0) return 'none';
    return this.#failed++ % 2 === 0 ? 'before effect' : 'after effect';
  }
}
