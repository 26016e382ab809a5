// SPDX-License-Identifier: Apache-2.0
import { finished, type Readable } from 'node:stream';
import { collectYoungGarbage } from './young-garbage.ts';

/** How a stream is read in blocks. */
export interface BlockOptions {
  /** Told of every piece that comes. */
  readonly heard: () => void;
  /** What a piece means: the bytes that are passed on, as views of it. */
  readonly decode: (piece: Uint8Array) => readonly Uint8Array[];
  /** True: one block serves for all, and is overwritten when the next is asked for. */
  readonly reuse: boolean;
}

/** Many of the network's pieces, few enough to stay in the processor's cache between being gathered, hashed and stored. */
const blockBytes = 512 * 1024;

/** After so many bytes the buffers that they came in are swept away; see young-garbage.ts. */
const sweepBytes = 4 * 1024 * 1024;

/**
 * Reads a stream in blocks of at least 512 KiB, the last one excepted. Waiting costs more than moving a piece of some
 * kilobytes, so that one wait is made for many: pieces are taken as events, which wait for nobody, and the stream is halted
 * while a whole block lies untaken.
 *
 * Throws what the stream fails with, or what `decode` throws.
 */
export async function* inBlocks(stream: Readable, options: BlockOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const gathering = new Gathering(stream, options);
  try {
    while (await gathering.ready()) yield gathering.take();
  } finally {
    gathering.close();
  }
}

/** gathering: less than a block. full: the stream is halted. ended, failed: no more comes. */
type State = { readonly at: 'gathering' | 'full' | 'ended' } | { readonly at: 'failed'; readonly error: unknown };

class Gathering {
  readonly #stream: Readable;
  readonly #options: BlockOptions;
  readonly #unhook: () => void;
  #state: State = { at: 'gathering' };
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #unswept = 0;
  #block: Buffer | undefined;
  #wake: () => void = () => undefined;

  constructor(stream: Readable, options: BlockOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#unhook = finished(stream, { writable: false }, (error) => {
      this.#become(error ? { at: 'failed', error } : { at: 'ended' });
    });
    stream.on('data', this.#onData);
  }

  /** Resolves with true when there is a block to take, with false at the end. */
  async ready(): Promise<boolean> {
    while (this.#state.at === 'gathering') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#state.at === 'failed') throw this.#state.error;
    return this.#bytes > 0;
  }

  /** What has been gathered; the stream goes on. */
  take(): Uint8Array {
    const block = this.#room();
    let at = 0;
    for (const piece of this.#pieces) {
      block.set(piece, at);
      at += piece.byteLength;
    }
    this.#pieces = [];
    this.#bytes = 0;
    this.#sweep(at);
    if (this.#state.at === 'full') {
      this.#state = { at: 'gathering' };
      this.#stream.resume();
    }
    return block.subarray(0, at);
  }

  close(): void {
    this.#stream.off('data', this.#onData);
    this.#unhook();
  }

  readonly #onData = (piece: Uint8Array): void => {
    this.#options.heard();
    try {
      for (const bytes of this.#options.decode(piece)) {
        this.#pieces.push(bytes);
        this.#bytes += bytes.byteLength;
      }
    } catch (error) {
      this.#stream.pause();
      this.#become({ at: 'failed', error });
      return;
    }
    if (this.#bytes < blockBytes) return;
    this.#stream.pause();
    this.#become({ at: 'full' });
  };

  /** What is over stays so; the first failure counts. */
  #become(state: State): void {
    if (this.#state.at !== 'ended' && this.#state.at !== 'failed') this.#state = state;
    this.#wake();
  }

  /** Only now, between blocks, is nothing left that holds on to the buffers of the one before. */
  #sweep(taken: number): void {
    this.#unswept += taken;
    if (this.#unswept < sweepBytes) return;
    this.#unswept = 0;
    collectYoungGarbage();
  }

  #room(): Buffer {
    if (!this.#options.reuse) return Buffer.allocUnsafeSlow(this.#bytes);
    if (!this.#block || this.#block.byteLength < this.#bytes) this.#block = Buffer.allocUnsafeSlow(this.#bytes * 2);
    return this.#block;
  }
}
