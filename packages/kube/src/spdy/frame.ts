// SPDX-License-Identifier: Apache-2.0
import { SpdyError } from './spdy-error.ts';

/** The frames of SPDY/3.1 for port-forwarding. Header blocks are still compressed here. */
export type SpdyFrame =
  | { readonly type: 'data'; readonly stream: number; readonly fin: boolean; readonly payload: Uint8Array }
  | { readonly type: 'syn-stream'; readonly stream: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'syn-reply'; readonly stream: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'headers'; readonly stream: number; readonly fin: boolean; readonly block: Uint8Array }
  | { readonly type: 'reset'; readonly stream: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'go-away'; readonly lastStream: number; readonly status: number }
  /** SETTINGS, WINDOW_UPDATE and others: ignored. */
  | { readonly type: 'other' };

const headerSize = 8;
const controlBit = 0x8000;
const version = 3;
const finFlag = 0x01;
const streamMask = 0x7fff_ffff;
const types = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
const largestControlPayload = 65_536;

/** The bytes of a frame. */
export function encodeFrame(frame: Exclude<SpdyFrame, { readonly type: 'other' }>): Uint8Array {
  switch (frame.type) {
    case 'data': {
      const header = Buffer.alloc(headerSize);
      header.writeUInt32BE(frame.stream, 0);
      header.writeUInt32BE(frame.payload.length, 4);
      header.writeUInt8(frame.fin ? finFlag : 0, 4);
      return Buffer.concat([header, frame.payload]);
    }
    case 'syn-stream':
      // Associated stream, priority and slot stay zero.
      return control(types.synStream, frame.fin, [frame.stream, 0], Buffer.concat([Buffer.alloc(2), frame.block]));
    case 'syn-reply':
      return control(types.synReply, frame.fin, [frame.stream], frame.block);
    case 'headers':
      return control(types.headers, frame.fin, [frame.stream], frame.block);
    case 'reset':
      return control(types.reset, false, [frame.stream, frame.status]);
    case 'ping':
      return control(types.ping, false, [frame.id]);
    case 'go-away':
      return control(types.goAway, false, [frame.lastStream, frame.status]);
  }
}

function control(
  type: number,
  fin: boolean,
  numbers: readonly number[],
  rest: Uint8Array = new Uint8Array(),
): Uint8Array {
  const fixed = Buffer.alloc(headerSize + 4 * numbers.length);
  fixed.writeUInt16BE(controlBit | version, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt32BE(4 * numbers.length + rest.length, 4);
  fixed.writeUInt8(fin ? finFlag : 0, 4);
  numbers.forEach((value, index) => {
    fixed.writeUInt32BE(value, headerSize + 4 * index);
  });
  return Buffer.concat([fixed, rest]);
}

/** Parses frames from a stream of bytes in pieces of any size. */
export class SpdyFrameDecoder {
  #pieces: Buffer[] = [];
  #size = 0;
  #needed = headerSize;

  *push(bytes: Uint8Array): Generator<SpdyFrame, void, undefined> {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#size += bytes.length;
    if (this.#size < this.#needed) return;
    let rest = Buffer.concat(this.#pieces, this.#size);
    for (;;) {
      this.#needed = headerSize;
      if (rest.length < headerSize) break;
      this.#needed = headerSize + payloadLength(rest);
      if (rest.length < this.#needed) break;
      yield decodeFrame(rest.subarray(0, this.#needed));
      rest = rest.subarray(this.#needed);
    }
    this.#pieces = [rest];
    this.#size = rest.length;
  }
}

function payloadLength(bytes: Buffer): number {
  const length = bytes.readUIntBE(5, 3);
  const isControl = (bytes.readUInt16BE(0) & controlBit) !== 0;
  if (isControl && length > largestControlPayload) throw new SpdyError('a control frame is too long');
  return length;
}

function decodeFrame(bytes: Buffer): SpdyFrame {
  const first = bytes.readUInt16BE(0);
  const fin = (bytes.readUInt8(4) & finFlag) !== 0;
  const payload = bytes.subarray(headerSize);
  if ((first & controlBit) === 0) return { type: 'data', stream: bytes.readUInt32BE(0), fin, payload };
  if ((first & ~controlBit) !== version)
    throw new SpdyError(`a frame has version ${first & ~controlBit} instead of ${version}`);
  return decodeControl(bytes.readUInt16BE(2), fin, payload);
}

function decodeControl(type: number, fin: boolean, payload: Buffer): SpdyFrame {
  const number = (index: number) => {
    if (payload.length < 4 * index + 4) throw new SpdyError('a control frame is too short');
    return payload.readUInt32BE(4 * index);
  };
  switch (type) {
    case types.synStream:
      number(1);
      return { type: 'syn-stream', stream: number(0) & streamMask, fin, block: payload.subarray(10) };
    case types.synReply:
      return { type: 'syn-reply', stream: number(0) & streamMask, fin, block: payload.subarray(4) };
    case types.headers:
      return { type: 'headers', stream: number(0) & streamMask, fin, block: payload.subarray(4) };
    case types.reset:
      return { type: 'reset', stream: number(0) & streamMask, status: number(1) };
    case types.ping:
      return { type: 'ping', id: number(0) };
    case types.goAway:
      return { type: 'go-away', lastStream: number(0) & streamMask, status: number(1) };
    default:
      return { type: 'other' };
  }
}
