// SPDX-License-Identifier: Apache-2.0

interface Waiting<T> {
  readonly item: T;
  readonly taken: () => void;
}

/**
 * Items from one producer to one reader. `push` resolves when the item has been read, so that the producer keeps the
 * reader's pace.
 */
export class AsyncPipe<T> implements AsyncIterable<T> {
  readonly #items: Waiting<T>[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  /** Items pushed after the end are dropped. */
  push(item: T): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((taken) => {
      this.#items.push({ item, taken });
      this.#wake?.();
    });
  }

  /** Ends the pipe. Items that were pushed before are still read. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const next = this.#items.shift();
        if (next) {
          next.taken();
          yield next.item;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      // The reader has stopped: the producer must not wait for it.
      this.#ended = true;
      for (const { taken } of this.#items.splice(0)) taken();
    }
  }
}
