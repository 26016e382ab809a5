// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, type Json } from '../../json/json.ts';
import type { MessageType, WireType } from '../message-types.ts';

/** Encodes an object like Go: fields by number, an embedded struct as a separate message. */
export function encodeMessage(type: MessageType, object: Json | undefined): Uint8Array {
  const values = asObject(object) ?? {};
  const pieces: Uint8Array[] = [];
  for (const [number, { name, wire }] of type.fields) {
    if (name === undefined) {
      if (wire.type === 'message') pieces.push(lengthDelimited(number, encodeMessage(wire, values)));
      continue;
    }
    const value = values[name];
    if (value !== undefined && value !== null) pieces.push(...encodeProperty(number, wire, value));
  }
  return Buffer.concat(pieces);
}

function encodeProperty(number: number, wire: WireType, value: Json): Uint8Array[] {
  if (wire.type === 'list') return asArray(value).map((item) => encodeField(number, wire.item, item));
  if (wire.type === 'map') return [...encodeEntries(number, wire.item, value)];
  return [encodeField(number, wire, value)];
}

/** A body as a client sends it: the magic bytes, and the object in its envelope. */
export function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = Buffer.concat([text(1, apiVersion), text(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), lengthDelimited(1, typeMeta), lengthDelimited(2, raw)]);
}

function* encodeEntries(number: number, item: WireType, map: Json): Generator<Uint8Array> {
  for (const [key, value] of Object.entries(asObject(map) ?? {})) {
    if (value === undefined) continue;
    yield lengthDelimited(number, Buffer.concat([text(1, key), encodeField(2, item, value)]));
  }
}

function encodeField(number: number, wire: WireType, value: Json): Uint8Array {
  switch (wire.type) {
    case 'string':
      return text(number, String(value));
    case 'bytes':
      return lengthDelimited(number, Buffer.from(String(value), 'base64'));
    case 'integer':
      return varintField(number, BigInt(Number(value)));
    case 'boolean':
      return varintField(number, value === true ? 1n : 0n);
    case 'quantity':
      return lengthDelimited(number, text(1, String(value)));
    case 'int-or-string':
      return lengthDelimited(number, encodeIntOrString(value));
    case 'time':
      return lengthDelimited(number, varintField(1, BigInt(Date.parse(String(value)) / 1000)));
    case 'raw':
      return lengthDelimited(number, text(1, JSON.stringify(value)));
    case 'message':
      return lengthDelimited(number, encodeMessage(wire, value));
    default:
      throw new Error(`the test does not write ${wire.type}`);
  }
}

function encodeIntOrString(value: Json): Uint8Array {
  if (typeof value === 'string') return Buffer.concat([varintField(1, 1n), varintField(2, 0n), text(3, value)]);
  return Buffer.concat([varintField(1, 0n), varintField(2, BigInt(Number(value))), text(3, '')]);
}

function text(number: number, value: string): Uint8Array {
  return lengthDelimited(number, Buffer.from(value, 'utf8'));
}

function lengthDelimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes]);
}

function varintField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, value))]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}
