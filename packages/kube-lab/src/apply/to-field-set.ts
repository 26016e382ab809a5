// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, type Json } from '../json/json.ts';
import { FieldSet, fieldElement } from './field-set.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { itemElement } from './list-items.ts';

/** The fields that a value sets: what its applier owns. */
export function toFieldSet(type: FieldType, value: Json): FieldSet {
  const set = new FieldSet();
  collect(type, value, [], set);
  return set;
}

function collect(declared: FieldType, value: Json, path: string[], set: FieldSet): void {
  const type = typeFor(declared, value);
  if (type.kind === 'scalar' || (type.kind === 'map' ? type.atomic : type.mode === 'atomic')) set.insert(path);
  else if (type.kind === 'list') collectItems(type, value, path, set);
  else collectFields(type, value, path, set);
}

function collectItems(type: ListType, value: Json, path: string[], set: FieldSet): void {
  for (const item of asArray(value)) {
    const element = itemElement(type, item);
    if (element === undefined) continue;
    path.push(element);
    collect(type.element, item, path, set);
    set.insert(path);
    path.pop();
  }
}

function collectFields(type: MapType, value: Json, path: string[], set: FieldSet): void {
  for (const [key, item] of Object.entries(asObject(value) ?? {})) {
    if (item === undefined) continue;
    path.push(fieldElement(key));
    collect(childType(type, key), item, path, set);
    if (item === null || isEmptyObject(item) || !type.field(key)) set.insert(path);
    path.pop();
  }
}

function isEmptyObject(value: Json): boolean {
  const object = asObject(value);
  return object !== undefined && Object.keys(object).length === 0;
}

/** Adds the struct fields on the path to each member. When items are removed, these fields count as owned as well. */
export function withNamedFields(set: FieldSet, declared: FieldType): FieldSet {
  const result = new FieldSet();
  for (const member of set.members) result.members.add(member);
  for (const [element, child] of set.children) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    if (declared.kind === 'map' && name !== undefined && declared.field(name)) result.members.add(element);
    result.setChild(element, withNamedFields(child, below(declared, element, name)));
  }
  return result;
}

const unknown: FieldType = { kind: 'deduced' };

function below(declared: FieldType, element: string, name: string | undefined): FieldType {
  if (declared.kind === 'map' && name !== undefined) return childType(declared, name);
  if (declared.kind === 'list' && element.startsWith('k:')) return declared.element;
  return unknown;
}
