// SPDX-License-Identifier: Apache-2.0
import { Waiters } from '../queue/waiters.ts';

/** The reviews that wait for one of a few places, served in the order they came. Each waits no longer than its own time. */
export class ReviewLine {
  readonly #waiters = new Waiters<boolean>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves with how to give the place back, when there is one; rejects with the signal's reason when it is aborted before. */
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
