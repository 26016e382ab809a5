// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, type Json, type JsonObject } from '../json/json.ts';
import type { FieldSet } from './field-set.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { itemElement } from './list-items.ts';

/** `value` without the fields and items in `set`; undefined if nothing is left of it. */
export function removeItems(declared: FieldType, value: Json, set: FieldSet): Json | undefined {
  const type = typeFor(declared, value);
  if (type.kind === 'scalar') return value;
  return type.kind === 'map' ? removeFromMap(type, value, set) : removeFromList(type, value, set);
}

function removeFromMap(type: MapType, value: Json, set: FieldSet): Json | undefined {
  const object = asObject(value);
  if (!object || type.atomic) return undefined;
  const rest: JsonObject = {};
  for (const [key, item] of Object.entries(object)) {
    const element = `f:${key}`;
    if (item === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    rest[key] = below && !below.isEmpty ? (removeItems(childType(type, key), item, below) ?? null) : item;
  }
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function removeFromList(type: ListType, value: Json, set: FieldSet): Json | undefined {
  if (type.mode === 'atomic') return undefined;
  const rest: Json[] = [];
  for (const item of asArray(value)) {
    const element = itemElement(type, item) ?? '';
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    rest.push(below && !below.isEmpty ? (removeItems(type.element, item, below) ?? null) : item);
  }
  return rest.length > 0 ? rest : undefined;
}
