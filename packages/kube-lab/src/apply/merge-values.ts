// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, type Json, type JsonObject } from '../json/json.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { indexItems, itemElement } from './list-items.ts';

/**
 * `live` with everything that `applied` sets. `applied` must match the type. Both stay unmodified; the result shares
 * parts with them.
 */
export function mergeValues(declared: FieldType, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined) return live;
  const type = typeFor(declared, applied ?? live);
  if (type.kind === 'scalar' || (type.kind === 'map' ? type.atomic : type.mode === 'atomic')) return applied;
  if (isEmpty(live) && isEmpty(applied)) return applied;
  return type.kind === 'map' ? mergeMaps(type, live, applied) : mergeLists(type, live, applied);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function mergeMaps(type: MapType, live: Json | undefined, applied: Json): Json {
  const left = asObject(live) ?? {};
  const right = asObject(applied) ?? {};
  const merged: JsonObject = { ...left };
  for (const [key, value] of Object.entries(right)) {
    if (key === '__proto__') continue;
    const result = mergeValues(childType(type, key), left[key], value);
    if (result === undefined) delete merged[key];
    else merged[key] = result;
  }
  return merged;
}

/**
 * Items have the order of the applied list; items that only the live list has keep their position relative to their
 * neighbours.
 */
function mergeLists(type: ListType, live: Json | undefined, applied: Json): Json {
  const left = asArray(live);
  const right = asArray(applied);
  const leftItems = indexItems(type, left);
  const rightItems = indexItems(type, right);
  const rightOrder = [...rightItems.keys()];
  const shared = rightOrder.filter((element) => leftItems.has(element));
  const merged: Json[] = [];
  const taken = new Set<string>();
  let next = 0;
  const takeApplied = (element: string) => {
    const item = mergeValues(type.element, leftItems.get(element), rightItems.get(element));
    if (item !== undefined) merged.push(item);
    taken.add(element);
    if (shared[0] === element) shared.shift();
    next++;
  };
  for (const item of left) {
    const element = itemElement(type, item);
    if (element === undefined || !rightItems.has(element)) {
      merged.push(item);
      continue;
    }
    // An item of both lists keeps the position of the applied list. Items that precede it in the applied list are added
    // first.
    if (taken.has(element) || shared[0] !== element) continue;
    while (!taken.has(element)) takeApplied(rightOrder[next] as string);
  }
  while (next < rightOrder.length) takeApplied(rightOrder[next] as string);
  return merged;
}
