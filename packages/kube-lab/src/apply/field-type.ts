// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';

/**
 * How ownership treats values of one type.
 *
 * - `scalar`: owned as a whole.
 * - `map`: each key separately, unless atomic. Structs are maps whose named fields have their own types.
 * - `list`: as a whole (`atomic`), or item by item: sets by value, maps by the fields named in `keys`.
 * - `deduced`: unknown; the value decides. Objects are maps, arrays are atomic lists.
 */
export type FieldType = ScalarType | MapType | ListType | DeducedType;

export interface ScalarType {
  readonly kind: 'scalar';
  /** The allowed values. If undefined, every scalar is allowed. */
  readonly only?: 'string' | 'numeric' | 'boolean';
}

export interface MapType {
  readonly kind: 'map';
  readonly atomic: boolean;
  /** The type of a named field of a struct; undefined for keys of a map. */
  field(name: string): FieldType | undefined;
  /** The type of values whose keys are not named fields. */
  readonly element: FieldType;
  /** True for structs: keys that are not named fields are an error. */
  readonly closed: boolean;
}

export interface ListType {
  readonly kind: 'list';
  readonly mode: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** The value of a key field that an item lacks. */
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

/**
 * The type that applies to a value: for deduced types, and for values whose shape differs from their type, the value
 * decides.
 */
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
