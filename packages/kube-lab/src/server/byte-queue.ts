// SPDX-License-Identifier: Apache-2.0

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const encoder = new TextEncoder();

/** How far a reader may fall behind. Watches share the text of an event, so the number of events usually decides. */
const mostPieces = 1_000;
const mostCharacters = 8 * 1024 * 1024;
/** Approximate size of one read. */
const chunkCharacters = 64 * 1024;

/**
 * A stream of text from one producer to one reader, as bytes, several whole pieces at a time. A reader that falls too
 * far behind is disconnected, as on the real server: the waiting pieces are dropped and the stream ends, so that a slow
 * reader uses no more memory than its last read.
 */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  #pieces: string[] = [];
  /** The first unread index of `#pieces`. */
  #first = 0;
  /** How many of the waiting pieces were preloaded. They do not count towards the limits. */
  #preloaded = 0;
  #size = 0;
  #ended = false;
  #error: { readonly cause: unknown } | undefined;
  #waiting: Waiting | undefined;
  readonly #onClose: () => void;

  /** @param onClose called once, when the stream has ended for any reason. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Adds initial data that the reader requested. They are always sent completely. */
  preload(piece: string): void {
    if (this.#ended) return;
    if (this.#handOver(piece)) return;
    this.#pieces.push(piece);
    this.#preloaded = this.#pieces.length - this.#first;
    this.#size = 0;
  }

  /** Adds later data. The reader must keep up with them. */
  push(piece: string): void {
    if (this.#ended) return;
    if (this.#handOver(piece)) return;
    this.#pieces.push(piece);
    this.#size += piece.length;
    const waiting = this.#pieces.length - this.#first - this.#preloaded;
    if (waiting <= mostPieces && this.#size <= mostCharacters) return;
    this.#drop();
    this.end();
  }

  /** Gives a piece directly to a reader that is already waiting. False if none is. */
  #handOver(piece: string): boolean {
    if (!this.#waiting) return false;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ value: encoder.encode(piece), done: false });
    return true;
  }

  #drop(): void {
    this.#pieces = [];
    this.#first = 0;
    this.#preloaded = 0;
    this.#size = 0;
  }

  /** Waiting pieces are still read; then the iteration ends. */
  end(): void {
    this.#close(undefined);
  }

  /** Waiting pieces are dropped; the iteration throws `cause`. */
  fail(cause: unknown): void {
    this.#drop();
    this.#close({ cause });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#drop();
        this.end();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#first < this.#pieces.length) {
      return Promise.resolve({ value: encoder.encode(this.#takeChunk()), done: false });
    }
    if (this.#error) return Promise.reject(this.#error.cause);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Takes several pieces at once, so that a reader that fell behind needs fewer reads. */
  #takeChunk(): string {
    let chunk = '';
    while (this.#first < this.#pieces.length && chunk.length < chunkCharacters) {
      const piece = this.#pieces[this.#first] as string;
      this.#pieces[this.#first] = '';
      this.#first += 1;
      chunk += piece;
      if (this.#preloaded > 0) this.#preloaded -= 1;
      else this.#size -= piece.length;
    }
    if (this.#first === this.#pieces.length) this.#drop();
    else this.#trim();
    return chunk;
  }

  #trim(): void {
    // Done only if more than half has been read, so that copying the rest costs no more than the reading did.
    if (this.#first <= 1024 || this.#first * 2 <= this.#pieces.length) return;
    this.#pieces = this.#pieces.slice(this.#first);
    this.#first = 0;
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
