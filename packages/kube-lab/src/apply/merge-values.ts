// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, type Json, type JsonObject } from '../json/json.ts';
import { childType, type FieldType, type ListType, type MapType, typeFor } from './field-type.ts';
import { indexItems, itemElement } from './list-items.ts';

/** A value that cannot be merged: an item of a list given twice. */
export class MergeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MergeError';
  }
}

/** `live` with everything that `applied` sets. Neither is changed; parts are shared. */
export function mergeValues(
  declared: FieldType,
  live: Json | undefined,
  applied: Json | undefined,
  path = '',
): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined) checkItems(declared, applied, path);
  const type = typeFor(declared, applied ?? live);
  if (type.kind === 'scalar' || (type.kind === 'map' ? type.atomic : type.mode === 'atomic')) return applied;
  if (isEmpty(live) && isEmpty(applied)) return applied;
  return type.kind === 'map' ? mergeMaps(type, live, applied, path) : mergeLists(type, live, applied, path);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function mergeMaps(type: MapType, live: Json | undefined, applied: Json, path: string): Json {
  const left = asObject(live) ?? {};
  const right = asObject(applied) ?? {};
  const merged: JsonObject = { ...left };
  for (const [key, value] of Object.entries(right)) {
    if (key === '__proto__') continue;
    const result = mergeValues(childType(type, key), left[key], value, `${path}.${key}`);
    if (result === undefined) delete merged[key];
    else merged[key] = result;
  }
  return merged;
}

/**
 * Items keep the order of the applied list; items only the live list has stay where they stood relative to their neighbours.
 */
function mergeLists(type: ListType, live: Json | undefined, applied: Json, path: string): Json {
  const left = asArray(live);
  const right = asArray(applied);
  const leftItems = indexItems(type, left);
  const rightItems = indexApplied(type, right, path);
  const rightOrder = [...rightItems.keys()];
  const shared = rightOrder.filter((element) => leftItems.has(element));
  const merged: Json[] = [];
  const taken = new Set<string>();
  let next = 0;
  const takeApplied = (element: string) => {
    const item = mergeValues(
      type.element,
      leftItems.get(element),
      rightItems.get(element),
      `${path}[${element.slice(2)}]`,
    );
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
    // A shared item stands where the applied order wants it; what must come before it is taken first.
    if (taken.has(element) || shared[0] !== element) continue;
    while (!taken.has(element)) takeApplied(rightOrder[next] as string);
  }
  while (next < rightOrder.length) takeApplied(rightOrder[next] as string);
  return merged;
}

function indexApplied(type: ListType, items: readonly Json[], path: string): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [index, item] of items.entries()) {
    const element = itemElement(type, item);
    if (element === undefined) {
      throw new MergeError(
        `${path}: element ${index}: associative list with keys has an element that omits key field ${JSON.stringify(type.keys[0] ?? '')} (and doesn't have default value)`,
      );
    }
    if (found.has(element)) throw new MergeError(`${path}: duplicate entries for key ${elementKey(element)}`);
    found.set(element, item);
  }
  return found;
}

function elementKey(element: string): string {
  if (element.startsWith('v:')) return `[=${element.slice(2)}]`;
  const keys = JSON.parse(element.slice(2)) as Readonly<Record<string, unknown>>;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
}

/** What is taken over whole is still checked for items given twice. */
function checkItems(declared: FieldType, value: Json, path: string): void {
  const type = typeFor(declared, value);
  if (type.kind === 'map' && !type.atomic) {
    for (const [key, item] of Object.entries(asObject(value) ?? {})) {
      if (item !== undefined) checkItems(childType(type, key), item, `${path}.${key}`);
    }
  } else if (type.kind === 'list' && type.mode !== 'atomic') {
    for (const [element, item] of indexApplied(type, asArray(value), path))
      checkItems(type.element, item, `${path}${elementKey(element)}`);
  }
}
