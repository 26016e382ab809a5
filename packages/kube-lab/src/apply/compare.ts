// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, equalJson, type Json, type JsonObject } from '../json/json.ts';
import { FieldSet, fieldElement } from './field-set.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { indexItems } from './list-items.ts';

/** The differences between two versions of an object, by path. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two values of one type. Where a field is owned as a whole, it is compared as a whole. */
export function compareValues(type: FieldType, before: Json, after: Json): Comparison {
  const root = new Place(undefined, '');
  compareBelow(root, typeFor(type, after ?? before), before, after);
  return { added: root.set('added'), modified: root.set('modified'), removed: root.set('removed') };
}

/** A path that both values have. Its sets are created only when something below the path differs, which is rare. */
class Place {
  readonly #parent: Place | undefined;
  readonly #element: string;
  readonly #sets: { added?: FieldSet; modified?: FieldSet; removed?: FieldSet } = {};

  constructor(parent: Place | undefined, element: string) {
    this.#parent = parent;
    this.#element = element;
  }

  set(which: keyof Comparison): FieldSet {
    const present = this.#sets[which];
    if (present) return present;
    const made = this.#parent ? this.#parent.set(which).child(this.#element) : new FieldSet();
    this.#sets[which] = made;
    return made;
  }
}

function compareChild(
  place: Place,
  element: string,
  declared: FieldType,
  before: Json | undefined,
  after: Json | undefined,
): void {
  if (before === after) return;
  if (before === undefined) collectAll(place.set('added'), element, declared, after as Json);
  else if (after === undefined) collectAll(place.set('removed'), element, declared, before);
  else {
    const type = typeFor(declared, after ?? before);
    if (!isLeaf(type, before, after)) compareBelow(new Place(place, element), type, before, after);
    else if (!equalJson(before, after)) place.set('modified').members.add(element);
  }
}

function compareBelow(place: Place, type: ReturnType<typeof typeFor>, before: Json, after: Json): void {
  if (type.kind === 'map') compareFields(place, type, asObject(before) ?? {}, asObject(after) ?? {});
  else if (type.kind === 'list') {
    compareItems(place, type, indexItems(type, asArray(before)), indexItems(type, asArray(after)));
  }
}

function compareFields(place: Place, type: MapType, left: JsonObject, right: JsonObject): void {
  for (const key in left) compareChild(place, fieldElement(key), childType(type, key), left[key], right[key]);
  for (const key in right) {
    if (left[key] !== undefined) continue;
    compareChild(place, fieldElement(key), childType(type, key), undefined, right[key]);
  }
}

type Items = ReadonlyMap<string, Json>;

function compareItems(place: Place, type: ListType, left: Items, right: Items): void {
  for (const [element, item] of left) compareChild(place, element, type.element, item, right.get(element));
  for (const [element, item] of right) {
    if (!left.has(element)) compareChild(place, element, type.element, undefined, item);
  }
}

/** Adds a path that only one of the two values has, and every path below it. */
function collectAll(set: FieldSet, element: string, declared: FieldType, value: Json): void {
  set.members.add(element);
  const type = typeFor(declared, value);
  if (type.kind === 'scalar' || isLeaf(type, undefined, value)) return;
  const below = set.child(element);
  if (type.kind === 'map') {
    const object = asObject(value) ?? {};
    for (const key in object) {
      const item = object[key];
      if (item !== undefined) collectAll(below, fieldElement(key), childType(type, key), item);
    }
  } else for (const [name, item] of indexItems(type, asArray(value))) collectAll(below, name, type.element, item);
}

function isLeaf(type: ReturnType<typeof typeFor>, before: Json | undefined, after: Json | undefined): boolean {
  if (type.kind === 'scalar') return true;
  if (type.kind === 'map' ? type.atomic : type.mode === 'atomic') return true;
  if (shapeOf(before) !== shapeOf(after) && !isNothing(before) && !isNothing(after)) return true;
  // Two values that are empty or missing are compared as a whole: they have no fields to compare.
  return isEmpty(before) && isEmpty(after);
}

function shapeOf(value: Json | undefined): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object') return false;
  // Not `Object.keys(value).length`: this is called for every field of every object and shall not allocate a list.
  for (const _ in value) return false;
  return true;
}
