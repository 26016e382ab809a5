// SPDX-License-Identifier: Apache-2.0
import { isArray, isObject, type JsonObject, type JsonValue, own } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import { isDeletion } from './directive.ts';

/** The type of a merged list's items. */
export type ItemKind = 'object' | 'scalar';

/**
 * The common type of all items of some lists. A list that can be merged contains only objects or only values of one
 * type; any other list is refused, as by the server.
 */
export function itemKind(field: string, ...lists: readonly (readonly JsonValue[])[]): ItemKind | undefined {
  let first: string | undefined;
  for (const item of lists.flat(1)) {
    const type = isObject(item) ? 'object' : typeof item;
    if (item === null || isArray(item))
      throw new PatchError('Malformed', `the list ${field} holds ${JSON.stringify(item)}`);
    first ??= type;
    if (first !== type) throw new PatchError('Malformed', `the items of the list ${field} have different types`);
  }
  if (first === undefined) return undefined;
  return first === 'object' ? 'object' : 'scalar';
}

/** How the items of one merged list are identified: by a field, or by value. */
export class ItemIdentity {
  readonly #field: string;
  readonly #mergeKey: string | undefined;

  constructor(field: string, kind: ItemKind, mergeKey: string | undefined) {
    if (kind === 'object' && !mergeKey) {
      throw new PatchError('MergeKey', `the list ${field} of objects has no merge key and cannot be merged`);
    }
    this.#field = field;
    this.#mergeKey = kind === 'object' ? mergeKey : undefined;
  }

  /** The identity of `item`. */
  of(item: JsonValue): JsonValue {
    if (this.#mergeKey === undefined) return item;
    const value = isObject(item) ? own(item, this.#mergeKey) : undefined;
    if (value === undefined) {
      throw new PatchError('MergeKey', `an item of the list ${this.#field} has no ${this.#mergeKey}, its merge key`);
    }
    return value;
  }

  /** An object that holds the merge key alone, or the value. */
  reference(item: JsonValue): JsonValue {
    return this.#mergeKey === undefined ? item : { [this.#mergeKey]: this.of(item) };
  }

  /** An object with the merge key added: what a patch of one item starts from. */
  named(patch: JsonObject, item: JsonValue): JsonObject {
    return this.#mergeKey === undefined ? patch : { ...patch, [this.#mergeKey]: this.of(item) };
  }

  find(list: readonly JsonValue[], identity: JsonValue): number {
    return list.findIndex((item) => this.of(item) === identity);
  }
}

/**
 * Orders a merged list. Items named in `wanted` have the order of `wanted`; all other items keep their order from
 * `live`. An item that is not in `wanted` goes before a wanted item if it was before that item in `live`.
 */
export function order(
  items: readonly JsonValue[],
  wanted: readonly JsonValue[],
  live: readonly JsonValue[],
  identity: ItemIdentity,
): JsonValue[] {
  const wantedPosition = positions(wanted, identity);
  const livePosition = positions(live, identity);
  const isWanted = (item: JsonValue) => wantedPosition.has(identity.of(item));
  const right = sortBy(items.filter(isWanted), wantedPosition, identity);
  const left = sortBy(
    items.filter((item) => !isWanted(item)),
    livePosition,
    identity,
  );
  const result: JsonValue[] = [];
  for (const next of right) {
    const limit = livePosition.get(identity.of(next)) ?? -1;
    while (left[0] !== undefined && (livePosition.get(identity.of(left[0])) ?? limit) < limit) {
      result.push(...left.splice(0, 1));
    }
    result.push(next);
  }
  return [...result, ...left];
}

function positions(list: readonly JsonValue[], identity: ItemIdentity): ReadonlyMap<JsonValue, number> {
  const result = new Map<JsonValue, number>();
  list.forEach((item, index) => {
    const key = identity.of(item);
    if (!result.has(key)) result.set(key, index);
  });
  return result;
}

/** Sorts by position; items that stand for a deletion come last. */
function sortBy(items: JsonValue[], position: ReadonlyMap<JsonValue, number>, identity: ItemIdentity): JsonValue[] {
  const rank = (item: JsonValue) =>
    (position.get(identity.of(item)) ?? 0) + (isDeletion(item) ? items.length + position.size : 0);
  return items.toSorted((a, b) => rank(a) - rank(b));
}
