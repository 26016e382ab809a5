// SPDX-License-Identifier: Apache-2.0
import { finished, type Readable } from 'node:stream';

/** The source of a stream's bytes. */
export interface ByteSource {
  /** Delivers bytes as they arrive; they are valid only during the call. */
  listen(listener: (bytes: Uint8Array) => void): void;
  /** Lets the sender send more: `heldBytes` says how many of the received bytes are still in memory. */
  release(heldBytes: number): void;
}

/** How a stream is read in blocks. */
export interface BlockOptions {
  readonly source: ByteSource;
  /** Called for every received piece. */
  readonly heard: () => void;
  /** Decodes a piece: returns the bytes to forward, as views of it. */
  readonly decode: (piece: Uint8Array) => readonly Uint8Array[];
  /** True: a block is overwritten some time after the next has been requested. */
  readonly reuse: boolean;
}

/**
 * Contains many pieces from the network, but fits into the cache of the processor while it is filled, hashed and
 * stored.
 */
const blockBytes = 256 * 1024;

/**
 * Reads the data of a source in blocks of 256 KiB (the last one may be shorter), until its stream has ended. Waiting
 * for a piece costs more than copying its few kilobytes. So pieces are copied into a block as they arrive, and the
 * caller waits once for the whole block. `release` keeps the source from sending too much ahead.
 *
 * Throws the error of the stream or of `decode`.
 */
export async function* inBlocks(stream: Readable, options: BlockOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const gathering = new Gathering(stream, options);
  try {
    while (await gathering.ready()) {
      const block = gathering.take();
      yield block;
      if (options.reuse) gathering.takeBack(block);
    }
  } finally {
    gathering.close();
  }
}

/** gathering: more may arrive. ended, failed: no more data. */
type State = { readonly at: 'gathering' | 'ended' } | { readonly at: 'failed'; readonly error: unknown };

class Gathering {
  readonly #options: BlockOptions;
  readonly #unhook: () => void;
  #state: State = { at: 'gathering' };
  readonly #full: Buffer[] = [];
  readonly #spare: Buffer[] = [];
  #block: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  #filled = 0;
  #wake: () => void = () => undefined;

  constructor(stream: Readable, options: BlockOptions) {
    this.#options = options;
    this.#unhook = finished(stream, { writable: false }, (error) => {
      this.#become(error ? { at: 'failed', error } : { at: 'ended' });
    });
    options.source.listen(this.#onBytes);
    // The bytes come from `source`. The stream is read only because it reports its end only to a reader.
    stream.resume();
  }

  /** Resolves with true when there is a block to take, with false at the end. */
  async ready(): Promise<boolean> {
    while (this.#state.at === 'gathering' && this.#full.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#state.at === 'failed') throw this.#state.error;
    return this.#full.length > 0 || this.#filled > 0;
  }

  /** The oldest block; the last one may be incomplete. */
  take(): Uint8Array {
    const block = this.#full.shift() ?? this.#rest();
    this.#options.source.release(this.#full.length * blockBytes + this.#filled);
    return block;
  }

  /** Takes back a block that the caller no longer needs, to fill it again. */
  takeBack({ buffer }: Uint8Array): void {
    this.#spare.push(Buffer.from(buffer));
  }

  close(): void {
    this.#options.source.listen(() => undefined);
    this.#unhook();
  }

  readonly #onBytes = (piece: Uint8Array): void => {
    this.#options.heard();
    if (this.#state.at !== 'gathering') return;
    try {
      for (const bytes of this.#options.decode(piece)) this.#keep(bytes);
    } catch (error) {
      this.#become({ at: 'failed', error });
    }
    if (this.#full.length > 0) this.#wake();
  };

  #keep(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const part = bytes.subarray(at, at + blockBytes - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.byteLength;
      at += part.byteLength;
      if (this.#filled < blockBytes) continue;
      this.#full.push(this.#block);
      this.#block = this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
      this.#filled = 0;
    }
  }

  #rest(): Uint8Array {
    const rest = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    return rest;
  }

  /** Only the first end or failure counts. */
  #become(state: State): void {
    if (this.#state.at === 'gathering') this.#state = state;
    this.#wake();
  }
}
