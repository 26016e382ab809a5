// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Clock, Random } from '@operator-parts/ports';
import type { MessageChannel } from '../transport/transport.ts';
import { encodeFrame, type Frame, FrameDecoder, FrameError } from './frame.ts';
import { MessageAssembler } from './message-assembler.ts';

export interface WebSocketChannelOptions {
  /** An upgraded connection that has not been read yet. */
  readonly socket: Duplex;
  /** The subprotocol both sides agreed on. */
  readonly protocol: string;
  readonly role: 'client' | 'server';
  readonly clock: Clock;
  /** Masks the frames of a client. */
  readonly random: Random;
  /** Maximum message size. @default 16 MiB */
  readonly maxMessageBytes?: number;
}

/** How long a peer may take to close its side after we have closed ours. */
const closeGrace = 2_000;
const normalClosure = 1000;
const goingAway = 1001;
const noStatus = 1005;

/** Why a channel ended, unless it was closed normally. */
export class ChannelClosedError extends Error {
  readonly closeCode: number | undefined;

  constructor(message: string, closeCode?: number) {
    super(message);
    this.name = 'ChannelClosedError';
    this.closeCode = closeCode;
  }
}

/**
 * A WebSocket on an upgraded connection, for either side. If it is not read, the peer has to wait; awaiting `send`
 * gives back-pressure: both use the flow control of the connection. Pings are answered while messages are read.
 */
export class WebSocketChannel implements MessageChannel {
  readonly protocol: string;
  readonly messages: AsyncIterable<Uint8Array>;
  readonly #socket: Duplex;
  readonly #options: WebSocketChannelOptions;
  #closing = false;

  constructor(options: WebSocketChannelOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.protocol = options.protocol;
    // The reader gets errors through iteration and the writer through `send`; an unhandled error event must not end the
    // process.
    this.#socket.on('error', () => undefined);
    this.messages = this.#read(options.maxMessageBytes ?? 16 * 2 ** 20);
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#closing) throw new ChannelClosedError('the channel is closed');
    await this.#write({ opcode: 'binary', final: true, payload: message });
  }

  close(): void {
    this.#shutDown(normalClosure);
  }

  async *#read(limit: number): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#dataMessages(limit);
    } catch (error) {
      if (this.#closing && !(error instanceof ChannelClosedError)) return;
      throw error instanceof FrameError ? new ChannelClosedError(error.message) : error;
    } finally {
      this.#shutDown(normalClosure);
    }
  }

  /** Messages up to the peer's close frame. */
  async *#dataMessages(limit: number): AsyncGenerator<Uint8Array, void, undefined> {
    const decoder = new FrameDecoder({ masked: this.#options.role === 'server', limit });
    const assembler = new MessageAssembler(limit);
    // Leaving the loop must not destroy the connection: the close frame still has to be sent.
    const pieces: AsyncIterable<Uint8Array> = this.#socket.iterator({ destroyOnReturn: false });
    for await (const bytes of pieces) {
      for (const frame of decoder.push(bytes)) {
        if (frame.opcode === 'close') return this.#onClose(frame.payload);
        const message = this.#isControl(frame) ? undefined : assembler.push(frame);
        if (message) yield message;
      }
    }
    if (!this.#closing) throw new ChannelClosedError('the connection ended without a close frame');
  }

  #isControl(frame: Frame): boolean {
    if (frame.opcode === 'ping' && !this.#closing) {
      // Not awaited: if the connection fails, the reader gets the error.
      this.#write({ ...frame, opcode: 'pong' }).catch(() => undefined);
    }
    return frame.opcode === 'ping' || frame.opcode === 'pong';
  }

  #onClose(payload: Uint8Array): void {
    const bytes = Buffer.from(payload);
    const code = bytes.length >= 2 ? bytes.readUInt16BE(0) : noStatus;
    this.#shutDown(normalClosure);
    if (code === normalClosure || code === goingAway || code === noStatus) return;
    throw new ChannelClosedError(`closed by the peer with ${code}: ${bytes.subarray(2).toString('utf8')}`, code);
  }

  #write(frame: Frame): Promise<void> {
    const mask = this.#options.role === 'client' ? this.#options.random.bytes(4) : undefined;
    return new Promise((resolve, reject) => {
      this.#socket.write(encodeFrame(frame, mask), (error) => (error ? reject(error) : resolve()));
    });
  }

  #shutDown(code: number): void {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    const mask = this.#options.role === 'client' ? this.#options.random.bytes(4) : undefined;
    if (!this.#socket.writableEnded) this.#socket.end(encodeFrame({ opcode: 'close', final: true, payload }, mask));
    // Remaining data is ignored, but must be read until the end.
    this.#socket.resume();
    const timer = this.#options.clock.schedule(closeGrace, () => this.#socket.destroy(), { background: true });
    this.#socket.once('close', () => timer.cancel());
  }
}
