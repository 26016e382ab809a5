// SPDX-License-Identifier: Apache-2.0
import { wireTypes } from './writer.ts';

/** A truncated message, or one that is not protobuf. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WireError';
  }
}

/** Reads protobuf values in order. Never reads past the end: truncated data throws `WireError`. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.byteLength;
  }

  /** The number and wire type of the next value. */
  tag(): { readonly field: number; readonly wireType: number } {
    const tag = Number(this.varint());
    const field = Math.floor(tag / 8);
    if (field < 1 || field > 536_870_911) throw new WireError(`invalid response: field number ${field} is not allowed`);
    return { field, wireType: tag % 8 };
  }

  /** An unsigned number of up to 64 bits. */
  varint(): bigint {
    let small = 0;
    for (let index = 0; index < 4; index++) {
      const byte = this.#byte();
      small |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) return BigInt(small);
    }
    let value = BigInt(small);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('invalid response: a number is longer than ten bytes');
  }

  /** Length-prefixed bytes: a view, not a copy. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.#bytes.byteLength - this.#position))
      throw new WireError('invalid response: the message is incomplete');
    const start = this.#position;
    this.#position += Number(length);
    return this.#bytes.subarray(start, this.#position);
  }

  /** Skips an unknown value. */
  skip(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        this.varint();
        return;
      case wireTypes.fixed64:
        this.#advance(8);
        return;
      case wireTypes.bytes:
        this.bytes();
        return;
      case wireTypes.fixed32:
        this.#advance(4);
        return;
      default:
        throw new WireError(`invalid response: unknown protobuf wire type ${wireType}`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new WireError('invalid response: the message is incomplete');
    this.#position++;
    return byte;
  }

  #advance(count: number): void {
    if (this.#position + count > this.#bytes.byteLength)
      throw new WireError('invalid response: the message is incomplete');
    this.#position += count;
  }
}
