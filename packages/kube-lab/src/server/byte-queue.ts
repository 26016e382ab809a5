// SPDX-License-Identifier: Apache-2.0

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const encoder = new TextEncoder();

/**
 * A stream of text pieces from one producer to one reader, as bytes. Pieces pushed before the reader asks are kept in order
 * up to `limit` characters; beyond that the stream is ended, as the real server drops a watcher that does not keep up.
 */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  #pieces: string[] = [];
  #size = 0;
  #ended = false;
  #error: { readonly cause: unknown } | undefined;
  #waiting: Waiting | undefined;
  readonly #limit: number;
  readonly #onClose: () => void;

  /** @param onClose called once, when the stream has ended for whatever reason. */
  constructor(onClose: () => void, limit = 64 * 1024 * 1024) {
    this.#onClose = onClose;
    this.#limit = limit;
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(piece: string): void {
    if (this.#ended) return;
    if (this.#waiting) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve({ value: encoder.encode(piece), done: false });
      return;
    }
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size > this.#limit) this.end();
  }

  /** What was pushed is still read; then the iteration ends. */
  end(): void {
    this.#close(undefined);
  }

  /** What was pushed is dropped; the iteration throws `cause`. */
  fail(cause: unknown): void {
    this.#pieces = [];
    this.#close({ cause });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#pieces = [];
        this.end();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#pieces.length > 0) {
      // All that waits goes out in one piece: fewer turns for a reader that fell behind.
      const value = encoder.encode(this.#pieces.join(''));
      this.#pieces = [];
      this.#size = 0;
      return Promise.resolve({ value, done: false });
    }
    if (this.#error) return Promise.reject(this.#error.cause);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #close(error: { readonly cause: unknown } | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    if (this.#waiting) {
      const { resolve, reject } = this.#waiting;
      this.#waiting = undefined;
      if (error) reject(error.cause);
      else resolve({ value: undefined, done: true });
    }
    this.#onClose();
  }
}
