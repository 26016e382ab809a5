// SPDX-License-Identifier: Apache-2.0
import { WireError, type WireReader } from './reader.ts';
import { type WireWriter, wireTypes } from './writer.ts';

/**
 * One field of a message: how its value is encoded and decoded, and its default. `Out` is the result of decoding, `In`
 * the input of encoding.
 */
export interface Field<Out, In = Out> {
  readonly number: number;
  /** The value of an absent field. */
  empty(): Out;
  /** Writes tag and value. Not called for an omitted value. */
  write(writer: WireWriter, value: In): void;
  /** Reads one occurrence; `before` is the value after the earlier occurrences. */
  read(reader: WireReader, wireType: number, before: Out): Out;
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** IDs, sizes that cannot be negative. */
export function uint64(number: number): Field<bigint> {
  return varintField(number, 0n, (value) => value);
}

/** Revisions, leases, counts. */
export function int64(number: number): Field<bigint> {
  return varintField(number, 0n, (value) => BigInt.asIntN(64, value));
}

/** Small numbers, such as hashes. */
export function uint32(number: number): Field<number> {
  return varintField(number, 0, (value) => Number(BigInt.asUintN(32, value)));
}

export function bool(number: number): Field<boolean> {
  const inner = varintField<number>(number, 0, (value) => Number(value !== 0n));
  return {
    number,
    empty: () => false,
    write: (writer, value) => inner.write(writer, Number(value)),
    read: (reader, wireType) => inner.read(reader, wireType, 0) === 1,
  };
}

/** A name from a list, encoded as its index. An unknown number decodes to `unrecognised`. */
export function choice<const Names extends readonly [string, ...string[]]>(
  number: number,
  names: Names,
): Field<Names[number] | 'unrecognised', Names[number]> {
  const inner = uint32(number);
  const first: Names[number] = names[0];
  return {
    number,
    empty: () => first,
    write: (writer, value) => inner.write(writer, names.indexOf(value)),
    read: (reader, wireType) => names[inner.read(reader, wireType, 0)] ?? 'unrecognised',
  };
}

export function string(number: number): Field<string> {
  const inner = bytes(number);
  return {
    number,
    empty: () => '',
    write: (writer, value) => inner.write(writer, utf8.encode(value)),
    read: (reader, wireType, _before) => text.decode(inner.read(reader, wireType, nothing)),
  };
}

const nothing = new Uint8Array(0);

/** Raw bytes: a view into the message when read. */
export function bytes(number: number): Field<Uint8Array> {
  return {
    number,
    empty: () => nothing,
    write: (writer, value) => void writer.tag(number, wireTypes.bytes).bytes(value),
    read: (reader, wireType) => {
      expectType(number, wireType, wireTypes.bytes);
      return reader.bytes();
    },
  };
}

/**
 * A repeated field.
 *
 * @param atMost the maximum number of values; a message with more is rejected
 */
export function repeated<Out, In>(
  field: Field<Out, In>,
  atMost = Number.POSITIVE_INFINITY,
): Field<readonly Out[], readonly In[]> {
  return {
    number: field.number,
    empty: () => [],
    write: (writer, values) => {
      for (const value of values) field.write(writer, value);
    },
    read: (reader, wireType, before) => {
      if (before.length >= atMost)
        throw new WireError(`invalid response: field ${field.number} has more than ${atMost} values`);
      // The list may be changed: it belongs to the message that is being decoded, and nothing else uses it yet.
      (before as Out[]).push(field.read(reader, wireType, field.empty()));
      return before;
    },
  };
}

export function expectType(field: number, actual: number, expected: number): void {
  if (actual !== expected)
    throw new WireError(`invalid response: field ${field} has wire type ${actual} instead of ${expected}`);
}

function varintField<T extends bigint | number>(number: number, empty: T, convert: (value: bigint) => T): Field<T> {
  return {
    number,
    empty: () => empty,
    write: (writer, value) => void writer.tag(number, wireTypes.varint).varint(value),
    read: (reader, wireType) => {
      expectType(number, wireType, wireTypes.varint);
      return convert(reader.varint());
    },
  };
}
