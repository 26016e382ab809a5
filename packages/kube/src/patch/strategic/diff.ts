// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '../../json/json-equal.ts';
import { isArray, isObject, type JsonObject, type JsonValue, own, setOwn } from '../../json/json-value.ts';
import { type FieldRule, fieldRule, type PatchSchema } from '../patch-schema.ts';
import { deletionsKey, orderKey, patchDirective, retainKeysDirective } from './directive.ts';
import { ItemIdentity, itemKind, order } from './merge-list.ts';

type Mutable = Record<string, JsonValue>;

/** The strategic merge patch from one object to another. */
export function diffObjects(before: JsonObject, after: JsonObject, schema: PatchSchema, retain = false): JsonObject {
  const patch: Mutable = {};
  for (const [key, value] of Object.entries(after)) {
    if (value !== undefined) diffField(patch, key, own(before, key), value, fieldRule(schema, key));
  }
  const gone = Object.keys(before).filter((key) => before[key] !== undefined && own(after, key) === undefined);
  for (const key of gone) setOwn(patch, key, null);
  const kept = Object.keys(after).filter((key) => after[key] !== null && after[key] !== undefined);
  const needed = Object.keys(patch).length > 0 || gone.some((key) => before[key] !== null);
  if (retain && kept.length > 0 && needed) patch[retainKeysDirective] = kept.toSorted();
  return patch;
}

function diffField(
  patch: Mutable,
  key: string,
  before: JsonValue | undefined,
  after: JsonValue,
  rule: FieldRule,
): void {
  if (jsonEqual(before, after)) return;
  if (isObject(before) && isObject(after) && !rule.replace) {
    const inner = diffObjects(before, after, rule.schema, rule.retainKeys);
    if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
  } else if (isArray(before) && isArray(after) && rule.merge) {
    diffLists(patch, key, before, after, rule);
  } else {
    setOwn(patch, key, after);
  }
}

/** Adds to `patch` the changes of one list: the items to add and change, those to delete, and the order. */
function diffLists(
  patch: Mutable,
  field: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  rule: FieldRule,
): void {
  const kind = itemKind(field, before, after);
  if (!kind) return;
  const identity = new ItemIdentity(field, kind, rule.mergeKey);
  if (kind === 'object' && hasTwins(before, after, identity)) {
    // Items with the same merge key (a port for TCP and for UDP) cannot be addressed separately.
    setOwn(patch, field, [{ [patchDirective]: 'replace' }, ...after]);
    return;
  }
  if (before.length === 0) {
    setOwn(patch, field, after);
    return;
  }
  const wanted = after.map((item) => identity.of(item));
  const removed = before.filter((item) => !wanted.includes(identity.of(item)));
  const changed =
    kind === 'object' ? changedItems(before, after, rule, identity) : after.filter((item) => !before.includes(item));
  const items = order(changed, after, [], identity);
  if (kind === 'object') items.push(...removed.map((item) => deletionOf(item, identity)));
  else if (removed.length > 0) setOwn(patch, deletionsKey(field), [...new Set(removed)].toSorted(byText));
  if (items.length > 0) setOwn(patch, field, items);
  if (after.length > 0)
    setOwn(
      patch,
      orderKey(field),
      after.map((item) => identity.reference(item)),
    );
}

function changedItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  rule: FieldRule,
  identity: ItemIdentity,
): readonly JsonValue[] {
  return after.flatMap((item): readonly JsonValue[] => {
    const old = before[identity.find(before, identity.of(item))];
    if (!isObject(old) || !isObject(item)) return [item];
    const inner = diffObjects(old, item, rule.schema, rule.retainKeys);
    return Object.keys(inner).length > 0 ? [identity.named(inner, item)] : [];
  });
}

function byText(left: JsonValue, right: JsonValue): number {
  return String(left) < String(right) ? -1 : 1;
}

function deletionOf(item: JsonValue, identity: ItemIdentity): JsonObject {
  return identity.named({ [patchDirective]: 'delete' }, item);
}

function hasTwins(before: readonly JsonValue[], after: readonly JsonValue[], identity: ItemIdentity): boolean {
  return [before, after].some((list) => new Set(list.map((item) => identity.of(item))).size < list.length);
}
