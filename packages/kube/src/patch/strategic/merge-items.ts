// SPDX-License-Identifier: Apache-2.0
import { isArray, isObject, type JsonObject, type JsonValue, own } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import type { FieldRule } from '../patch-schema.ts';
import { asNewValue, isDeletion, patchDirective, withoutDirectives } from './directive.ts';
import { ItemIdentity, itemKind, order } from './merge-list.ts';

/** One list of an object that a patch changes. */
export interface ListField {
  readonly name: string;
  readonly rule: FieldRule;
  /** Merges one object of the list with its part of the patch. */
  readonly mergeItem: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges the items of a patch into a list; patched items have the order of the patch. */
export function mergeLists(
  field: ListField,
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
): readonly JsonValue[] {
  const kind = itemKind(field.name, original, patch);
  if (!kind) return original;
  const identity = new ItemIdentity(field.name, kind, field.rule.mergeKey);
  if (kind === 'scalar') return order([...new Set([...original, ...patch])], patch, original, identity);
  const { live, items } = carryOut(original, patch, identity);
  return order(mergeItems(field, live, items, identity), items, live, identity);
}

/** Removes the values of a `$deleteFromPrimitiveList` directive from a list. */
export function deleteValues(
  field: string,
  list: readonly JsonValue[],
  values: readonly JsonValue[],
): readonly JsonValue[] {
  if (itemKind(field, list, values) === 'object') {
    throw new PatchError('Malformed', `values can be deleted from a list of values only, and ${field} holds objects`);
  }
  return list.filter((item) => !values.includes(item));
}

/** Merges a list like `mergeLists` and orders it by `$setElementOrder`. */
export function orderList(
  field: ListField,
  live: readonly JsonValue[] | undefined,
  patch: readonly JsonValue[] | undefined,
  wanted: readonly JsonValue[],
): readonly JsonValue[] {
  const kind = itemKind(field.name, live ?? [], patch ?? []);
  if (!kind) return live ?? patch ?? [];
  const identity = new ItemIdentity(field.name, kind, field.rule.mergeKey);
  checkOrder(field.name, patch ?? [], wanted, identity);
  const merged = mergedList(field, live, patch);
  const inPlace = kind === 'object' && field.rule.merge && live !== undefined && patch !== undefined;
  return order(merged, wanted, inPlace ? afterDeletions(live, patch, identity) : (live ?? []), identity);
}

/**
 * The items whose positions the server uses as the live order. It deletes from the list in place and then appends the
 * new items, so these take the positions that became free at the end. An item of another manager that has such a
 * position stays before the new items.
 */
function afterDeletions(
  live: readonly JsonValue[],
  patch: readonly JsonValue[],
  identity: ItemIdentity,
): readonly JsonValue[] {
  const { live: left, items } = carryOut(live, patch, identity);
  const added = items.filter((item) => identity.find(left, identity.of(item)) < 0);
  return [...left, ...added].slice(0, live.length);
}

function mergedList(
  field: ListField,
  live: readonly JsonValue[] | undefined,
  patch: readonly JsonValue[] | undefined,
): readonly JsonValue[] {
  if (!patch) return live ?? [];
  if (live) return field.rule.merge ? mergeLists(field, live, patch) : patch;
  const added = asNewValue(patch);
  return isArray(added) ? added : [];
}

/** The items of a patch must have the order of its `$setElementOrder`, and must all be in it. */
function checkOrder(
  field: string,
  patch: readonly JsonValue[],
  wanted: readonly JsonValue[],
  identity: ItemIdentity,
): void {
  if (wanted.length === 0) return;
  let position = 0;
  for (const item of patch) {
    if (isObject(item) && Object.hasOwn(item, patchDirective)) continue;
    const key = identity.of(item);
    while (position < wanted.length && identity.of(wanted[position] ?? null) !== key) position++;
    if (position++ >= wanted.length) {
      throw new PatchError('Malformed', `the items of ${field} do not follow the order in $setElementOrder/${field}`);
    }
  }
}

/** Applies `$patch` directives to the items: returns the remaining list, and the items still to be merged. */
function carryOut(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  identity: ItemIdentity,
): { readonly live: readonly JsonValue[]; readonly items: readonly JsonValue[] } {
  const items = patch.filter((item) => directiveOf(item) === undefined);
  const directives = patch.map(directiveOf);
  if (directives.includes('replace')) return { live: items.map(withoutDirectives), items: [] };
  const deleted = new Set(patch.filter(isDeletion).map((item) => identity.of(item)));
  // The identity of live items is read only if something is to be deleted: an item without its merge key is an error.
  return { live: deleted.size ? original.filter((item) => !deleted.has(identity.of(item))) : original, items };
}

function directiveOf(item: JsonValue): 'delete' | 'replace' | undefined {
  const directive = isObject(item) ? own(item, patchDirective) : undefined;
  if (directive === undefined || directive === 'delete' || directive === 'replace') return directive;
  throw new PatchError(
    'Malformed',
    `$patch of a list item must be "delete" or "replace", not ${JSON.stringify(directive)}`,
  );
}

function mergeItems(
  field: ListField,
  live: readonly JsonValue[],
  items: readonly JsonValue[],
  identity: ItemIdentity,
): readonly JsonValue[] {
  const merged = [...live];
  for (const item of items) {
    const index = identity.find(merged, identity.of(item));
    if (index < 0) merged.push(withoutDirectives(item));
    else merged[index] = field.mergeItem(merged[index] as JsonObject, item as JsonObject);
  }
  return merged;
}
