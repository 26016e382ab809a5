// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';

/**
 * How ownership treats values of one type.
 *
 * - `scalar`: owned as a whole.
 * - `map`: each key by itself, unless atomic. Structs are maps whose named fields have types of their own.
 * - `list`: as a whole (`atomic`), or item by item: sets by value, maps by the fields named in `keys`.
 * - `deduced`: nothing is known; the value tells. Objects are maps, arrays are atomic lists.
 */
export type FieldType = ScalarType | MapType | ListType | DeducedType;

export interface ScalarType {
  readonly kind: 'scalar';
  /** The only values allowed; without it every scalar is. */
  readonly only?: 'string' | 'numeric' | 'boolean';
}

export interface MapType {
  readonly kind: 'map';
  readonly atomic: boolean;
  /** The type of a named field of a struct; undefined for keys of a map. */
  field(name: string): FieldType | undefined;
  /** The type of the values of keys that are no named fields. */
  readonly element: FieldType;
  /** True for structs: keys that are no named fields are a mistake. */
  readonly closed: boolean;
}

export interface ListType {
  readonly kind: 'list';
  readonly mode: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** What an item that lacks a key field is taken to have there. */
  keyDefault(key: string): Json | undefined;
  readonly element: FieldType;
}

export interface DeducedType {
  readonly kind: 'deduced';
}

export const scalarType: ScalarType = { kind: 'scalar' };
export const deducedType: DeducedType = { kind: 'deduced' };

const deducedMap: MapType = { kind: 'map', atomic: false, field: () => undefined, element: deducedType, closed: false };
const deducedList: ListType = {
  kind: 'list',
  mode: 'atomic',
  keys: [],
  keyDefault: () => undefined,
  element: deducedType,
};

/** What a type means for a certain value: deduced types, and values of another shape than their type says, are seen as they are. */
export function typeFor(type: FieldType, value: Json | undefined): ScalarType | MapType | ListType {
  if (value === undefined || value === null) return type.kind === 'deduced' ? scalarType : type;
  const shape = Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : 'scalar';
  if (type.kind === shape) return type;
  if (type.kind === 'deduced') return shape === 'map' ? deducedMap : shape === 'list' ? deducedList : scalarType;
  return scalarType;
}

/** The type below a key of a map or struct. */
export function childType(type: MapType, name: string): FieldType {
  return type.field(name) ?? type.element;
}
