// SPDX-License-Identifier: Apache-2.0
import type { MessageChannel } from '../transport/transport.ts';
import { encodeFrame, type SpdyFrame, SpdyFrameDecoder } from './frame.ts';
import { HeaderReader, HeaderWriter, type SpdyHeaders } from './header-block.ts';
import { SpdyError } from './spdy-error.ts';
import { SpdyStream, type StreamOutput } from './spdy-stream.ts';

/** Transports the bytes of a connection: a WebSocket tunnel, or a socket with this interface. */
export type ByteLink = Pick<MessageChannel, 'send' | 'messages' | 'close'>;

export interface SpdyConnectionOptions {
  readonly link: ByteLink;
  readonly role: 'client' | 'server';
  /** Called for each stream that the peer opens, after accepting it. */
  readonly onStream?: (stream: SpdyStream) => void;
}

const protocolError = 1;
const cancelled = 5;

/** SPDY/3.1 as Kubernetes uses it for port-forwarding, for either side. Does nothing until `run` is called. */
export class SpdyConnection implements StreamOutput {
  readonly #link: ByteLink;
  readonly #onStream: ((stream: SpdyStream) => void) | undefined;
  readonly #writer = new HeaderWriter();
  readonly #reader = new HeaderReader();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #awaitingReply = new Map<number, { resolve(): void; reject(error: Error): void }>();
  readonly #parity: number;
  #nextId: number;
  #closed: Error | undefined;

  constructor(options: SpdyConnectionOptions) {
    this.#link = options.link;
    this.#onStream = options.onStream;
    this.#nextId = options.role === 'client' ? 1 : 2;
    this.#parity = options.role === 'client' ? 0 : 1;
  }

  /**
   * Reads until the peer closes. Rejects if the connection is lost or the peer violates the protocol; all streams end
   * with the connection.
   */
  async run(): Promise<void> {
    const decoder = new SpdyFrameDecoder();
    try {
      for await (const bytes of this.#link.messages) {
        for (const frame of decoder.push(bytes)) await this.#handle(frame);
      }
      this.#end(new SpdyError('the connection was closed'));
    } catch (error) {
      this.#end(error instanceof Error ? error : new SpdyError(String(error)));
      throw error;
    } finally {
      this.#link.close();
    }
  }

  /** Opens a stream; resolves when the peer has accepted it. */
  async open(headers: SpdyHeaders): Promise<SpdyStream> {
    if (this.#closed) throw this.#closed;
    const stream = new SpdyStream(this.#nextId, headers, this);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    const accepted = new Promise<void>((resolve, reject) => {
      this.#awaitingReply.set(stream.id, { resolve, reject });
    });
    // If the connection is lost while the request is sent, sending fails as well, and nothing awaits `accepted`.
    accepted.catch(() => undefined);
    await this.#send({ type: 'syn-stream', stream: stream.id, fin: false, block: this.#writer.encode(headers) });
    await accepted;
    return stream;
  }

  close(): void {
    this.#end(new SpdyError('the connection was closed'));
    this.#link.close();
  }

  /** Called by streams. */
  async data(stream: number, payload: Uint8Array, fin: boolean): Promise<void> {
    await this.#send({ type: 'data', stream, fin, payload });
    if (fin) this.#forgetIfFinished(stream);
  }

  /** Called by streams. */
  async reset(stream: number): Promise<void> {
    this.#streams.delete(stream);
    await this.#send({ type: 'reset', stream, status: cancelled });
  }

  #send(frame: Parameters<typeof encodeFrame>[0]): Promise<void> {
    return this.#link.send(encodeFrame(frame));
  }

  /** Sends without waiting: otherwise two peers that answer each other could wait forever. */
  #answer(frame: Parameters<typeof encodeFrame>[0]): void {
    this.#send(frame).catch((error: unknown) =>
      this.#end(error instanceof Error ? error : new SpdyError(String(error))),
    );
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case 'data':
        await this.#streams.get(frame.stream)?.deliver(frame.payload);
        return this.#peerSent(frame);
      case 'syn-stream':
        this.#accept(frame.stream, await this.#reader.decode(frame.block));
        return this.#peerSent(frame);
      case 'syn-reply':
        // Must be read because it is part of the compressed stream.
        await this.#reader.decode(frame.block);
        this.#awaitingReply.get(frame.stream)?.resolve();
        this.#awaitingReply.delete(frame.stream);
        return this.#peerSent(frame);
      case 'headers':
        await this.#reader.decode(frame.block);
        return this.#peerSent(frame);
      case 'reset':
        return this.#wasReset(frame.stream, frame.status);
      case 'ping':
        // Odd numbers are the client's, even ones the server's; an answer to our own ping needs no answer.
        if (frame.id % 2 === this.#parity) this.#answer(frame);
        return;
      case 'go-away':
      case 'other':
        return;
    }
  }

  #accept(id: number, headers: SpdyHeaders): void {
    if (id % 2 !== this.#parity || this.#streams.has(id) || !this.#onStream) {
      this.#answer({ type: 'reset', stream: id, status: protocolError });
      return;
    }
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    this.#answer({ type: 'syn-reply', stream: id, fin: false, block: this.#writer.encode({}) });
    this.#onStream(stream);
  }

  #peerSent(frame: { readonly stream: number; readonly fin: boolean }): void {
    if (!frame.fin) return;
    this.#streams.get(frame.stream)?.deliverEnd();
    this.#forgetIfFinished(frame.stream);
  }

  #wasReset(id: number, status: number): void {
    const error = new SpdyError(`the peer has reset the stream (status ${status})`);
    this.#awaitingReply.get(id)?.reject(error);
    this.#awaitingReply.delete(id);
    this.#streams.get(id)?.fail(error);
    this.#streams.delete(id);
  }

  #forgetIfFinished(id: number): void {
    if (this.#streams.get(id)?.finished) this.#streams.delete(id);
  }

  #end(error: Error): void {
    this.#closed ??= error;
    for (const waiting of this.#awaitingReply.values()) waiting.reject(error);
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#awaitingReply.clear();
    this.#streams.clear();
  }
}
