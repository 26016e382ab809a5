// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json, type JsonObject, setKey } from '../json/json.ts';
import type { MessageType, WireType } from './message-types.ts';
import { ProtobufError, packedVarints, type WireField, wireFields } from './wire.ts';

/** A message as the JSON of the same object. Unknown field numbers are ignored. */
export function decodeMessage(type: MessageType, bytes: Uint8Array): JsonObject {
  const object: JsonObject = {};
  readInto(type, bytes, object);
  return object;
}

function readInto(type: MessageType, bytes: Uint8Array, object: JsonObject): void {
  for (const sent of wireFields(bytes)) {
    const field = type.fields.get(sent.number);
    if (!field) continue;
    const { name, wire } = field;
    if (name === undefined) {
      if (wire.type === 'message') readInto(wire, bytesOf(sent), object);
    } else if (wire.type === 'list') appendItems(wire.item, sent, object, name);
    else if (wire.type === 'map') addEntry(wire.item, sent, object, name);
    else setKey(object, name, decodeValue(wire, sent));
  }
}

function appendItems(item: WireType, sent: WireField, object: JsonObject, name: string): void {
  const present = object[name];
  const list = Array.isArray(present) ? present : [];
  object[name] = list;
  const isPacked = item.type === 'integer' && typeof sent.value !== 'bigint';
  if (isPacked) list.push(...packedVarints(bytesOf(sent)).map(signed));
  else list.push(decodeValue(item, sent));
}

/** A map entry is a message with a key and a value; either is omitted if it is zero. */
function addEntry(item: WireType, sent: WireField, object: JsonObject, name: string): void {
  const present = object[name];
  const map = isObject(present) ? present : {};
  object[name] = map;
  let key = '';
  let value: Json | undefined;
  for (const part of wireFields(bytesOf(sent))) {
    if (part.number === 1) key = textOf(part);
    else if (part.number === 2) value = decodeValue(item, part);
  }
  setKey(map, key, value ?? zeroOf(item));
}

function zeroOf(item: WireType): Json {
  switch (item.type) {
    case 'string':
    case 'bytes':
      return '';
    case 'quantity':
      return '0';
    case 'message':
      return {};
    case 'integer':
    case 'int-or-string':
      return 0;
    default:
      return null;
  }
}

function decodeValue(wire: WireType, sent: WireField): Json {
  switch (wire.type) {
    case 'string':
      return textOf(sent);
    case 'bytes':
      return Buffer.from(bytesOf(sent)).toString('base64');
    case 'integer':
      return signed(integerOf(sent));
    case 'double':
      return doubleOf(bytesOf(sent));
    case 'boolean':
      return integerOf(sent) !== 0n;
    case 'message':
      return decodeMessage(wire, bytesOf(sent));
    case 'string-list':
      return parts(sent, 1).map(textOf);
    case 'list':
    case 'map':
      throw new ProtobufError('a list holds no lists');
    default:
      return decodeSpecial(wire, sent);
  }
}

type SpecialType = Exclude<
  WireType,
  { readonly type: 'string' | 'bytes' | 'integer' | 'double' | 'boolean' | 'message' | 'string-list' | 'list' | 'map' }
>;

/** Decodes the types whose JSON does not have the form of their protobuf message. */
function decodeSpecial(wire: SpecialType, sent: WireField): Json {
  switch (wire.type) {
    case 'quantity': {
      const [text] = parts(sent, 1);
      return text ? textOf(text) : '0';
    }
    case 'int-or-string':
      return intOrString(sent);
    case 'time':
    case 'micro-time':
      return timeOf(sent, wire.type === 'micro-time');
    case 'duration':
      return `${Number(integerPart(sent, 1)) / 1e9}s`;
    case 'raw':
      return rawJson(sent);
    case 'schema-or-array':
      return schemaOr(wire.schema, sent, 1, () => parts(sent, 2).map((one) => decodeValue(wire.schema, one)));
    case 'schema-or-boolean':
      return schemaOr(wire.schema, sent, 2, () => integerPart(sent, 1) !== 0n);
    case 'schema-or-strings':
      return schemaOr(wire.schema, sent, 1, () => parts(sent, 2).map(textOf));
  }
}

function intOrString(sent: WireField): Json {
  if (integerPart(sent, 1) === 0n) return signed(integerPart(sent, 2));
  const [text] = parts(sent, 3);
  return text ? textOf(text) : '';
}

/** The last second that a `Date` can hold. */
const latestSecond = 8.64e12;

/** An empty message is the zero time, which is null in JSON. */
function timeOf(sent: WireField, micro: boolean): Json {
  if (bytesOf(sent).length === 0) return null;
  const seconds = signed(integerPart(sent, 1));
  if (Math.abs(seconds) > latestSecond) throw new ProtobufError('a time is out of range');
  const text = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  if (!micro) return `${text}Z`;
  const micros = Math.floor(signed(integerPart(sent, 2)) / 1000);
  return `${text}.${String(micros).padStart(6, '0')}Z`;
}

function rawJson(sent: WireField): Json {
  const [raw] = parts(sent, 1);
  const text = raw ? textOf(raw) : '';
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new ProtobufError('an embedded object is not JSON', { cause });
  }
}

function schemaOr(schema: WireType, sent: WireField, number: number, other: () => Json): Json {
  const [given] = parts(sent, number);
  return given ? decodeValue(schema, given) : other();
}

/** The fields of a message that have this number. */
function parts(sent: WireField, number: number): WireField[] {
  return [...wireFields(bytesOf(sent))].filter((part) => part.number === number);
}

function integerPart(sent: WireField, number: number): bigint {
  const part = parts(sent, number).at(-1);
  return part ? integerOf(part) : 0n;
}

function integerOf({ value, number }: WireField): bigint {
  if (typeof value === 'bigint') return value;
  throw new ProtobufError(`field ${number} is no integer`);
}

function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

function bytesOf({ value, number }: WireField): Uint8Array {
  if (typeof value !== 'bigint') return value;
  throw new ProtobufError(`field ${number} is an integer`);
}

function textOf(sent: WireField): string {
  return Buffer.from(bytesOf(sent)).toString('utf8');
}

function doubleOf(bytes: Uint8Array): number {
  if (bytes.length !== 8) throw new ProtobufError('a double has eight bytes');
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}
