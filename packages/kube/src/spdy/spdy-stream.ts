// SPDX-License-Identifier: Apache-2.0
import type { SpdyHeaders } from './header-block.ts';
import { SpdyError } from './spdy-error.ts';

/** The interface of a connection for its streams. */
export interface StreamOutput {
  data(stream: number, payload: Uint8Array, fin: boolean): Promise<void>;
  reset(stream: number): Promise<void>;
}

/** How many bytes may wait for one stream's consumer before the connection stops reading. */
const highWater = 256 * 1024;
const largestWrite = 32 * 1024;

/**
 * One of the streams of a connection. Kubernetes' SPDY has no window per stream: a stream that is not read blocks all
 * others of its connection, once its buffer is full.
 */
export class SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /**
   * Data from the peer, up to its end. Throws a `SpdyError` if the peer resets the stream or the connection is lost.
   */
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly #output: StreamOutput;
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #ended = false;
  #failure: Error | undefined;
  #abandoned = false;
  #sentEnd = false;
  #arrived: (() => void) | undefined;
  #taken: (() => void) | undefined;

  constructor(id: number, headers: SpdyHeaders, output: StreamOutput) {
    this.id = id;
    this.headers = headers;
    this.#output = output;
    this.incoming = this.#read();
  }

  /** Resolves when the bytes have been sent to the network. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#sentEnd) throw new SpdyError('the stream was ended already');
    for (let start = 0; start < bytes.length; start += largestWrite) {
      await this.#output.data(this.id, bytes.subarray(start, start + largestWrite), false);
    }
  }

  /** Ends writing. */
  async end(): Promise<void> {
    if (this.#sentEnd || this.#failure) return;
    this.#sentEnd = true;
    await this.#output.data(this.id, new Uint8Array(), true);
  }

  /** Resets the stream in both directions. */
  async reset(): Promise<void> {
    this.#abandoned = true;
    this.fail(new SpdyError('the stream was reset'));
    await this.#output.reset(this.id);
  }

  /** True when both sides have ended. */
  get finished(): boolean {
    return this.#failure !== undefined || (this.#ended && this.#sentEnd);
  }

  /** For the connection: bytes have arrived. Resolves when there is room for more. */
  async deliver(bytes: Uint8Array): Promise<void> {
    if (this.#ended || this.#failure || this.#abandoned || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    this.#arrived?.();
    while (this.#queued > highWater && !this.#failure && !this.#abandoned) {
      await new Promise<void>((resolve) => {
        this.#taken = resolve;
      });
    }
  }

  /** For the connection: the peer has ended its side. */
  deliverEnd(): void {
    this.#ended = true;
    this.#arrived?.();
  }

  /** For the connection: the stream has ended. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#arrived?.();
    this.#taken?.();
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const bytes = this.#queue.shift();
        if (bytes) {
          this.#queued -= bytes.length;
          this.#taken?.();
          yield bytes;
        } else if (this.#ended) {
          return;
        } else if (this.#failure) {
          throw this.#failure;
        } else {
          await new Promise<void>((resolve) => {
            this.#arrived = resolve;
          });
        }
      }
    } finally {
      // A stream that is no longer read must not block the others.
      this.#abandoned = true;
      this.#taken?.();
    }
  }
}
