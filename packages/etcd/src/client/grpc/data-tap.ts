// SPDX-License-Identifier: Apache-2.0
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const headerBytes = 9;
const frameTypes = { data: 0, windowUpdate: 8 } as const;
const flags = { endStream: 0x1, padded: 0x8 } as const;

/**
 * A frame whose payload is being read. `padding` is the number of padding bytes at its end, or undefined if the next
 * byte contains that number.
 */
interface Frame {
  readonly isData: boolean;
  readonly endsStream: boolean;
  padding: number | undefined;
  left: number;
}

/**
 * A filter between a connection and Node's HTTP/2, for one large answer on a separate connection. It takes the content
 * of DATA frames out of the stream of frames and delivers it to a listener: Node's streams spend more time on every 16
 * KiB than the listener does. Everything else passes: Node's HTTP/2 handles headers, trailers, settings, pings, resets
 * and GOAWAY.
 *
 * The tap does the flow control of the content: after `release` the member may send more, and a member that sends more
 * than `windowBytes` ahead loses its connection.
 */
export class DataTap extends Duplex {
  readonly #socket: Duplex;
  readonly #windowBytes: number;
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #frame: Frame | undefined;
  #streamId = 0;
  /** Bytes that were received and not released yet. */
  #held = 0;
  #listener: (bytes: Uint8Array) => void = () => undefined;

  /** @param windowBytes as announced to the member for the connection and for the stream. */
  constructor(socket: Duplex, windowBytes: number) {
    super();
    this.#socket = socket;
    this.#windowBytes = windowBytes;
    socket.on('data', this.#onRead);
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  /** Delivers content as it arrives. The bytes are valid only during the call. */
  listen(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
  }

  /**
   * Lets the member send more: `heldBytes` says how many of the received bytes are still in memory. The member gets a
   * window update only when a quarter of the window is free, which is long before it has to stop.
   */
  release(heldBytes: number): void {
    const credit = this.#held - heldBytes;
    if (credit < this.#windowBytes / 4 || this.destroyed) return;
    this.#held = heldBytes;
    this.#socket.write(Buffer.concat([windowUpdate(0, credit), windowUpdate(this.#streamId, credit)]));
  }

  override _read(): void {
    // Nothing to do: content bypasses this stream, and everything else is small and is forwarded when it arrives.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.off('data', this.#onRead);
    this.#socket.destroy();
    done(error);
  }

  readonly #onRead = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.byteLength && !this.destroyed; ) {
      const frame = this.#frame;
      at += frame ? this.#payload(chunk, at, frame) : this.#gatherHeader(chunk, at);
    }
    if (this.#socket instanceof Socket) free(chunk);
  };

  #gatherHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#header, this.#headerFilled, at, at + headerBytes - this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === headerBytes) {
      this.#headerFilled = 0;
      this.#begin(this.#header);
    }
    return taken;
  }

  #begin(header: Buffer): void {
    const left = header.readUIntBE(0, 3);
    const isData = header[3] === frameTypes.data;
    const flagBits = header[4] ?? 0;
    const frame: Frame = {
      isData,
      endsStream: isData && (flagBits & flags.endStream) !== 0,
      padding: isData && (flagBits & flags.padded) !== 0 ? undefined : 0,
      left,
    };
    if (isData) {
      this.#streamId = header.readUInt32BE(5) & 0x7fff_ffff;
      this.#held += left;
      if (this.#held > this.#windowBytes)
        this.destroy(new Error('the member sent more data than HTTP/2 flow control allows'));
    } else {
      this.push(Buffer.from(header));
    }
    this.#advance(frame, 0);
  }

  #payload(chunk: Buffer, at: number, frame: Frame): number {
    const piece = chunk.subarray(at, at + frame.left);
    if (!frame.isData) this.push(Buffer.from(piece));
    else if (frame.padding === undefined) {
      frame.padding = piece[0] ?? 0;
      this.#advance(frame, 1);
      return 1;
    } else {
      const content = piece.subarray(0, Math.max(0, frame.left - frame.padding));
      if (content.byteLength > 0) this.#listener(content);
    }
    this.#advance(frame, piece.byteLength);
    return piece.byteLength;
  }

  #advance(frame: Frame, bytes: number): void {
    frame.left -= bytes;
    this.#frame = frame.left > 0 ? frame : undefined;
    // Node's HTTP/2 must see that the stream ends here.
    if (frame.left === 0 && frame.endsStream) this.push(emptyLast(this.#streamId));
  }
}

function windowUpdate(streamId: number, bytes: number): Buffer {
  const frame = Buffer.alloc(headerBytes + 4);
  frame.writeUIntBE(4, 0, 3);
  frame[3] = frameTypes.windowUpdate;
  frame.writeUInt32BE(streamId, 5);
  frame.writeUInt32BE(bytes, headerBytes);
  return frame;
}

function emptyLast(streamId: number): Buffer {
  const frame = Buffer.alloc(headerBytes);
  frame[4] = flags.endStream;
  frame.writeUInt32BE(streamId, 5);
  return frame;
}

/**
 * Frees the memory of a chunk at once. The garbage collector would free it only in a full collection, after tens of
 * megabytes, and would take much of the processing time of a large stream. Only for chunks that were read from a socket
 * and that nothing else uses.
 */
function free(chunk: Buffer): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength) buffer.transfer(0);
}
