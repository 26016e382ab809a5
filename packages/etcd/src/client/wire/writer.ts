// SPDX-License-Identifier: Apache-2.0

/** The wire types of protobuf that etcd's messages use. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Collects the bytes of one protobuf message. */
export class WireWriter {
  readonly #parts: Uint8Array[] = [];

  /** The number and wire type that stand before each value. */
  tag(field: number, wireType: number): this {
    return this.varint((field << 3) | wireType);
  }

  /** An unsigned number of up to 64 bits; negative ones are written as two's complement, as for int64. */
  varint(value: bigint | number): this {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#parts.push(Uint8Array.from(bytes));
    return this;
  }

  /** Length-prefixed bytes. They are not copied until `finish`. */
  bytes(value: Uint8Array): this {
    this.varint(value.byteLength);
    this.#parts.push(value);
    return this;
  }

  /** Everything written so far, in one piece. */
  finish(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
