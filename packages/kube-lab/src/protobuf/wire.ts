// SPDX-License-Identifier: Apache-2.0

/** A body that is not a valid protobuf message, or not of its declared type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** One encoded field of a message: an integer, or the bytes of something longer. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
  /** True for the eight bytes of a double, which are in `value`. */
  readonly fixed: boolean;
}

/** The fields of a message in order. Groups, which Kubernetes does not use, are refused. */
export function* wireFields(bytes: Uint8Array): Generator<WireField, void> {
  const cursor = { at: 0 };
  while (cursor.at < bytes.length) {
    const tag = readVarint(bytes, cursor);
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: readVarint(bytes, cursor), fixed: false };
        break;
      case 1:
        yield { number, value: take(bytes, cursor, 8), fixed: true };
        break;
      case 2:
        yield { number, value: take(bytes, cursor, Number(readVarint(bytes, cursor))), fixed: false };
        break;
      case 5:
        yield { number, value: take(bytes, cursor, 4), fixed: true };
        break;
      default:
        throw new ProtobufError(`field ${number} has a wire type that is not used`);
    }
  }
}

/** The integers of a packed list. */
export function packedVarints(bytes: Uint8Array): bigint[] {
  const cursor = { at: 0 };
  const values: bigint[] = [];
  while (cursor.at < bytes.length) values.push(readVarint(bytes, cursor));
  return values;
}

function readVarint(bytes: Uint8Array, cursor: { at: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw new ProtobufError('unexpected EOF');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new ProtobufError('integer overflow');
}

function take(bytes: Uint8Array, cursor: { at: number }, length: number): Uint8Array {
  const end = cursor.at + length;
  if (!(end <= bytes.length)) throw new ProtobufError('unexpected EOF');
  const taken = bytes.subarray(cursor.at, end);
  cursor.at = end;
  return taken;
}
