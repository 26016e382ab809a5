// SPDX-License-Identifier: Apache-2.0
import { messageLength } from '../grpc/frame.ts';
import { WireError } from '../wire/reader.ts';
import { wireTypes } from '../wire/writer.ts';

/** etcd sends pieces of about 32 KiB; a larger message than this is not part of a snapshot. */
const maxMessageBytes = 64 * 1024 * 1024;

const remainingBytesField = 2;
const blobField = 3;

/**
 * The state of the decoder.
 *
 * prefix: reading the 5 bytes before a message. key: reading the varint of a field's tag. value: reading a varint that
 * is a number, or the length of what follows. blob: forwarding bytes. skip: skipping bytes.
 */
type State = Gathering | Passing;
type Gathering =
  | { readonly at: 'prefix' }
  | { readonly at: 'key' }
  | { readonly at: 'value'; readonly field: number; readonly wireType: number };
type Passing = { readonly at: 'blob' | 'skip'; readonly left: number };

/**
 * Decodes a snapshot answer to the bytes of the database, as views of the input: messages are never assembled. The
 * messages are `{ header = 1, remaining_bytes = 2, blob = 3, version = 4 }`.
 */
export class SnapshotDecoder {
  #state: State = { at: 'prefix' };
  /** Remaining bytes of the current message. */
  #messageLeft = 0;
  /** An incomplete prefix or varint. */
  #gathered: number[] = [];
  #blobs: Uint8Array[] = [];
  #remaining: bigint | undefined;
  /** proto3 omits zeros: without the field, nothing remains. */
  #remainingInMessage = 0n;

  /** The remaining bytes according to the member; undefined before the first message. */
  get remaining(): bigint | undefined {
    return this.#remaining;
  }

  /** True if the last message is complete and announced no more bytes. */
  get complete(): boolean {
    return this.#remaining === 0n && this.#state.at === 'prefix' && this.#gathered.length === 0;
  }

  /** The decoded pieces since the last call. */
  take(): Uint8Array[] {
    const blobs = this.#blobs;
    this.#blobs = [];
    return blobs;
  }

  /** Throws `FrameError` or `WireError` on invalid input. */
  push(chunk: Uint8Array): void {
    let position = 0;
    while (position < chunk.byteLength) {
      const state = this.#state;
      if ('left' in state) position += this.#pass(chunk.subarray(position), state);
      else this.#gather(chunk[position++] ?? 0, state);
    }
  }

  #pass(available: Uint8Array, state: Passing): number {
    const piece = available.subarray(0, state.left);
    if (state.at === 'blob' && piece.byteLength > 0) this.#blobs.push(piece);
    this.#messageLeft -= piece.byteLength;
    const left = state.left - piece.byteLength;
    this.#state = left > 0 ? { at: state.at, left } : this.#next();
    return piece.byteLength;
  }

  #gather(byte: number, state: Gathering): void {
    this.#gathered.push(byte);
    if (state.at === 'prefix') {
      if (this.#gathered.length < 5) return;
      this.#messageLeft = messageLength(Uint8Array.from(this.#gathered), maxMessageBytes);
      this.#remainingInMessage = 0n;
      this.#gathered = [];
      this.#state = this.#next();
      return;
    }
    if (--this.#messageLeft < 0) throw new WireError('invalid response: a field is longer than its message');
    if (byte >= 0x80) {
      if (this.#gathered.length >= 10) throw new WireError('invalid response: a number is longer than ten bytes');
      return;
    }
    const value = fromVarint(this.#gathered);
    this.#gathered = [];
    this.#state = state.at === 'key' ? this.#field(value) : this.#value(value, state);
  }

  #field(tag: bigint): State {
    const field = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (wireType === wireTypes.varint || wireType === wireTypes.bytes) return { at: 'value', field, wireType };
    throw new WireError(`invalid response: unknown protobuf wire type ${wireType}`);
  }

  #value(value: bigint, { field, wireType }: { readonly field: number; readonly wireType: number }): State {
    if (wireType === wireTypes.varint) {
      if (field === remainingBytesField) this.#remainingInMessage = value;
      return this.#next();
    }
    if (value > BigInt(this.#messageLeft)) throw new WireError('invalid response: a field is longer than its message');
    const left = Number(value);
    if (left === 0) return this.#next();
    return { at: field === blobField ? 'blob' : 'skip', left };
  }

  /** After a field: the next one, or the end of the message. */
  #next(): State {
    if (this.#messageLeft > 0) return { at: 'key' };
    this.#remaining = this.#remainingInMessage;
    return { at: 'prefix' };
  }
}

function fromVarint(bytes: readonly number[]): bigint {
  return bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 0x7f), 0n);
}
