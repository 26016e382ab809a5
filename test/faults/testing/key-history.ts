// SPDX-License-Identifier: Apache-2.0

/** What was known when a read began. */
export interface ReadMark {
  readonly acknowledged: number;
  readonly seen: number;
}

/**
 * The history of a key whose one writer writes 1, 2, 3, ... and never one of them twice. It can be linearized exactly if no read returns
 * less than what was acknowledged, or returned by another read, before it began, and none returns what was not yet attempted.
 */
export class KeyHistory {
  readonly problems: string[] = [];
  #attempted = 0;
  #acknowledged = 0;
  #seen = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  attempts(value: number): void {
    this.#attempted = Math.max(this.#attempted, value);
  }

  acknowledges(value: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, value);
  }

  /** To be called before a read begins. */
  mark(): ReadMark {
    return { acknowledged: this.#acknowledged, seen: this.#seen };
  }

  /** @param value undefined: there was no such key */
  reads(mark: ReadMark, value: number | undefined): void {
    const found = value ?? 0;
    if (found < mark.acknowledged) this.problems.push(`${found} was read after ${mark.acknowledged} was acknowledged`);
    if (found < mark.seen) this.problems.push(`${found} was read after ${mark.seen} was read`);
    if (found > this.#attempted)
      this.problems.push(`${found} was read, and nothing beyond ${this.#attempted} was written`);
    this.#seen = Math.max(this.#seen, found);
  }
}
