// SPDX-License-Identifier: Apache-2.0
import { Waiters } from '../queue/waiters.ts';

/** Reviews that wait for a free slot, served in order of arrival. Each has its own time limit. */
export class ReviewLine {
  readonly #waiters = new Waiters<boolean>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves with a function that frees the slot; rejects with the signal's reason if it is aborted first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else if (!(await this.#waiters.wait(false, signal))) throw signal.reason;
    let held = true;
    return () => {
      if (held) this.#giveBack();
      held = false;
    };
  }

  #giveBack(): void {
    if (this.#waiters.size > 0) this.#waiters.release(true);
    else this.#free++;
  }
}
