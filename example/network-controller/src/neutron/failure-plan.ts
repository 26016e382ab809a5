// SPDX-License-Identifier: Apache-2.0

/** What becomes of a call. One that fails after its effect is the worse: the caller cannot tell. */
export type Fate = 'none' | 'before effect' | 'after effect';

/** Failures on request: every n-th call fails, by turns before and after it has taken effect. */
export class FailurePlan {
  #every = 0;
  #calls = 0;
  #failed = 0;

  /** How many calls have failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Has every `n`-th call fail from now on; 0 ends it. */
  failEvery(n: number): void {
    this.#every = n;
    this.#calls = 0;
  }

  /** The fate of the next call. */
  next(): Fate {
    if (this.#every === 0 || ++this.#calls % this.#every !== 0) return 'none';
    return this.#failed++ % 2 === 0 ? 'before effect' : 'after effect';
  }
}
