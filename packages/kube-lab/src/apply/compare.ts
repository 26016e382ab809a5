// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, equalJson, type Json } from '../json/json.ts';
import { FieldSet } from './field-set.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { indexItems } from './list-items.ts';

/** What differs between two versions of an object, by path. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two values of one type, field by owned field. */
export function compareValues(type: FieldType, before: Json, after: Json): Comparison {
  const walker = new Walker();
  walker.compare(type, before, after);
  return walker.comparison;
}

class Walker {
  readonly comparison: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  readonly #path: string[] = [];

  compare(declared: FieldType, before: Json | undefined, after: Json | undefined): void {
    if (before === after && before !== undefined) return;
    const type = typeFor(declared, after ?? before);
    if (isLeaf(type, before, after)) {
      this.#leaf(before, after);
      return;
    }
    if (type.kind === 'map') this.#map(type, before, after);
    else if (type.kind === 'list') this.#list(type, before, after);
    if (before === undefined) this.comparison.added.insert(this.#path);
    else if (after === undefined) this.comparison.removed.insert(this.#path);
  }

  #leaf(before: Json | undefined, after: Json | undefined): void {
    if (before === undefined) this.comparison.added.insert(this.#path);
    else if (after === undefined) this.comparison.removed.insert(this.#path);
    else if (!equalJson(before, after)) this.comparison.modified.insert(this.#path);
  }

  #map(type: MapType, before: Json | undefined, after: Json | undefined): void {
    const left = asObject(before) ?? {};
    const right = asObject(after) ?? {};
    for (const key in left) this.#child(`f:${key}`, childType(type, key), left[key], right[key]);
    for (const key in right)
      if (left[key] === undefined) this.#child(`f:${key}`, childType(type, key), undefined, right[key]);
  }

  #list(type: ListType, before: Json | undefined, after: Json | undefined): void {
    const left = indexItems(type, asArray(before));
    const right = indexItems(type, asArray(after));
    for (const [element, item] of left) this.#child(element, type.element, item, right.get(element));
    for (const [element, item] of right) if (!left.has(element)) this.#child(element, type.element, undefined, item);
  }

  #child(element: string, type: FieldType, before: Json | undefined, after: Json | undefined): void {
    if (before === undefined && after === undefined) return;
    this.#path.push(element);
    this.compare(type, before, after);
    this.#path.pop();
  }
}

function isLeaf(type: ReturnType<typeof typeFor>, before: Json | undefined, after: Json | undefined): boolean {
  if (type.kind === 'scalar') return true;
  if (type.kind === 'map' ? type.atomic : type.mode === 'atomic') return true;
  // Two empty values, or an empty one and none, are told apart as wholes.
  return isEmpty(before) && isEmpty(after);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  return Object.keys(value).length === 0;
}
