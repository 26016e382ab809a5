// SPDX-License-Identifier: Apache-2.0

/** What a WebSocket frame contains (RFC 6455, section 5.2). */
export type Opcode = 'continuation' | 'text' | 'binary' | 'close' | 'ping' | 'pong';

export interface Frame {
  readonly opcode: Opcode;
  /** False if the message continues in another frame. */
  readonly final: boolean;
  readonly payload: Uint8Array;
}

const opcodes: Readonly<Record<Opcode, number>> = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
const names: ReadonlyMap<number, Opcode> = new Map(
  Object.entries(opcodes).map(([name, code]) => [code, name as Opcode] as const),
);

const finalBit = 0x80;
const maskBit = 0x80;
const longestControlPayload = 125;

/** The bytes of a frame. A client must use a new mask of four bytes for each frame, a server must use none. */
export function encodeFrame(frame: Frame, mask?: Uint8Array): Uint8Array {
  const { length } = frame.payload;
  const sizeBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = 2 + sizeBytes + (mask ? 4 : 0);
  const bytes = Buffer.allocUnsafe(header + length);
  bytes[0] = (frame.final ? finalBit : 0) | opcodes[frame.opcode];
  bytes[1] = (mask ? maskBit : 0) | (sizeBytes === 0 ? length : sizeBytes === 2 ? 126 : 127);
  if (sizeBytes === 2) bytes.writeUInt16BE(length, 2);
  if (sizeBytes === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  bytes.set(frame.payload, header);
  if (mask) {
    bytes.set(mask, header - 4);
    applyMask(bytes.subarray(header), mask);
  }
  return bytes;
}

/** Masks or unmasks in place. */
function applyMask(payload: Uint8Array, mask: Uint8Array): void {
  for (let index = 0; index < payload.length; index++) {
    payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
  }
}

/** A peer violated the protocol; the connection ends. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

/** Parses frames from a stream of bytes in pieces of any size. */
export class FrameDecoder {
  readonly #masked: boolean;
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;
  /** How many bytes the next frame needs. Pieces are not joined before there are as many. */
  #needed = 2;

  /** @param masked whether frames must be masked: those of clients are, those of servers are not. */
  constructor(options: { readonly masked: boolean; readonly limit: number }) {
    this.#masked = options.masked;
    this.#limit = options.limit;
  }

  /** The frames that these bytes complete. */
  *push(bytes: Uint8Array): Generator<Frame, void, undefined> {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#size += bytes.length;
    if (this.#size < this.#needed) return;
    let rest = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces, this.#size);
    for (let next = this.#next(rest); next; next = this.#next(rest)) {
      rest = rest.subarray(next.size);
      yield next.frame;
    }
    this.#pieces = [rest];
    this.#size = rest.length;
  }

  /** The frame at the beginning of `buffer` if it is complete; otherwise sets how many bytes are needed. */
  #next(buffer: Buffer): { readonly frame: Frame; readonly size: number } | undefined {
    const header = this.#header(buffer);
    if (!header || buffer.length < this.#needed) return undefined;
    const { opcode, final, start } = header;
    const payload = this.#payload(buffer, start, this.#needed - start);
    const size = this.#needed;
    this.#needed = 2;
    return { frame: { opcode, final, payload }, size };
  }

  #header(buffer: Buffer): { readonly opcode: Opcode; readonly final: boolean; readonly start: number } | undefined {
    this.#needed = 2;
    if (buffer.length < 2) return undefined;
    const [first = 0, second = 0] = buffer;
    const opcode = checkedOpcode(first);
    if (((second & maskBit) !== 0) !== this.#masked) throw new FrameError('a frame is masked by the wrong side');
    const short = second & 0x7f;
    const start = (short < 126 ? 2 : short === 126 ? 4 : 10) + (this.#masked ? 4 : 0);
    this.#needed = start;
    if (buffer.length < start) return undefined;
    const length = payloadLength(buffer, short);
    if (length > this.#limit) throw new FrameError(`a frame of ${length} bytes is longer than ${this.#limit}`);
    checkControl(opcode, first, length);
    this.#needed = start + length;
    return { opcode, final: (first & finalBit) !== 0, start };
  }

  #payload(buffer: Buffer, header: number, length: number): Uint8Array {
    if (!this.#masked) return buffer.subarray(header, header + length);
    const payload = Uint8Array.from(buffer.subarray(header, header + length));
    applyMask(payload, buffer.subarray(header - 4, header));
    return payload;
  }
}

function payloadLength(buffer: Buffer, short: number): number {
  if (short < 126) return short;
  return short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
}

function checkedOpcode(first: number): Opcode {
  const opcode = names.get(first & 0x0f);
  if (!opcode || (first & 0x70) !== 0) throw new FrameError('a frame has an unknown opcode or extension bits');
  return opcode;
}

function checkControl(opcode: Opcode, first: number, length: number): void {
  const control = opcode === 'close' || opcode === 'ping' || opcode === 'pong';
  if (control && ((first & finalBit) === 0 || length > longestControlPayload)) {
    throw new FrameError(`a ${opcode} frame is too long or fragmented`);
  }
}
