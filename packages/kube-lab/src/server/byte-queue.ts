// SPDX-License-Identifier: Apache-2.0

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const encoder = new TextEncoder();

/** How far a reader may fall behind. Events of one change are one text for all watches, so mostly the count decides. */
const mostPieces = 1_000;
const mostCharacters = 8 * 1024 * 1024;
/** About what a reader gets at once. */
const chunkCharacters = 64 * 1024;

/**
 * A stream of text pieces from one producer to one reader, as bytes, a few whole pieces at a time. A reader that falls too far behind is cut
 * off, as the real server does it: what waits is dropped and the stream ends, so that it costs no more than what it last took.
 */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  #pieces: string[] = [];
  /** Where `#pieces` begins: what is before was read. */
  #first = 0;
  /** How many of the waiting pieces were there from the start and do not count. */
  #preloaded = 0;
  #size = 0;
  #ended = false;
  #error: { readonly cause: unknown } | undefined;
  #waiting: Waiting | undefined;
  readonly #onClose: () => void;

  /** @param onClose called once, when the stream has ended for whatever reason. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What the reader asked for by opening the stream: it comes whole, however long it is. */
  preload(piece: string): void {
    if (this.#ended) return;
    if (this.#handOver(piece)) return;
    this.#pieces.push(piece);
    this.#preloaded = this.#pieces.length - this.#first;
    this.#size = 0;
  }

  /** What came up since; the reader has to keep up with it. */
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

  /** To a reader that waits already. */
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

  /** What was pushed is still read; then the iteration ends. */
  end(): void {
    this.#close(undefined);
  }

  /** What was pushed is dropped; the iteration throws `cause`. */
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

  /** Several pieces at once mean fewer turns for a reader that fell behind. */
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
    // Moving the rest costs as much as what was read: amortised constant.
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
