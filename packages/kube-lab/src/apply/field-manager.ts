// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, equalJson, type JsonObject } from '../json/json.ts';
import { type Comparison, compareValues } from './compare.ts';
import { ConflictError } from './conflict.ts';
import { FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { decodeManagers, encodeManagers, type Manager, type Managers, managerKey } from './managed-fields.ts';
import { mergeValues } from './merge-values.ts';
import { removeItems } from './remove-items.ts';
import { toFieldSet, withNamedFields } from './to-field-set.ts';

/** The field manager and how it writes. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly time: string;
}

/** What field ownership needs to know about a kind. */
export interface OwnershipRules {
  readonly type: FieldType;
  /** Fields that this subresource does not write, whatever the request contains. */
  readonly resetFields: FieldSet;
}

const identityFields = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields'].map(
    (name) => ['f:metadata', `f:${name}`],
  ),
  ['f:metadata', 'f:resourceVersion'],
);

const maxUpdateManagers = 10;
const oldUpdatesName = 'ancient-changes';

/**
 * Records the field manager of a create, update or patch: sets `metadata.managedFields` of `next`, which is private to
 * the request. `live` is the stored object, or an empty one of the kind.
 */
export function trackUpdate(rules: OwnershipRules, live: JsonObject, next: JsonObject, writer: Writer): void {
  const metadata = asObject(next['metadata']) ?? {};
  const before = managersFor(live, metadata, writer.subresource !== '');
  delete metadata['managedFields'];
  // Objects whose managedFields were removed are not tracked until the next apply.
  const isNew = asObject(live['metadata'])?.['uid'] === undefined;
  if (!before || (before.size === 0 && !isNew)) return;
  const comparison = filtered(compareValues(rules.type, withoutManagers(live), next), rules.resetFields);
  const managers = takenOver(before, comparison, undefined);
  const own = stripped(comparison.modified.union(comparison.added));
  if (!own.isEmpty) {
    const entry = {
      name: writer.manager,
      operation: 'Update',
      apiVersion: writer.apiVersion,
      subresource: writer.subresource,
    } as const;
    const key = managerKey(entry);
    const previous = managers.get(key);
    managers.set(key, { ...entry, time: writer.time, fields: previous ? own.union(previous.fields) : own });
  }
  setManagers(metadata, capped(managers));
}

/** managedFields in the request replace the stored ones, so that they can be edited; an empty list resets them. */
function managersFor(live: JsonObject, metadata: JsonObject, subresource: boolean): Managers | undefined {
  const liveMetadata = asObject(live['metadata']) ?? {};
  const given = metadata['managedFields'];
  if (subresource || given === undefined || given === null || equalJson(given, liveMetadata['managedFields'])) {
    return decodeManagers(liveMetadata);
  }
  const entries = asArray(given);
  const isReset = entries.length === 0 || (entries.length === 1 && equalJson(entries[0], {}));
  if (isReset) return undefined;
  return decodeManagers(metadata) ?? decodeManagers(liveMetadata);
}

function withoutManagers(object: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = asObject(object['metadata']) ?? {};
  return { ...object, metadata };
}

/** The managers after a change: they lose the fields that were changed or removed. `applying` keeps its fields. */
function takenOver(before: Managers, comparison: Comparison, applying: string | undefined): Map<string, Manager> {
  const changed = comparison.modified.union(comparison.added);
  const managers = new Map<string, Manager>();
  for (const [key, manager] of before) {
    const lost = key === applying ? undefined : changed;
    const left = lost ? manager.fields.difference(lost).difference(comparison.removed) : manager.fields;
    if (left.isEmpty) continue;
    managers.set(key, left.equals(manager.fields) ? manager : { ...manager, fields: left });
  }
  return managers;
}

function filtered(comparison: Comparison, reset: FieldSet): Comparison {
  if (reset.isEmpty) return comparison;
  return {
    added: comparison.added.recursiveDifference(reset),
    modified: comparison.modified.recursiveDifference(reset),
    removed: comparison.removed.recursiveDifference(reset),
  };
}

function stripped(fields: FieldSet): FieldSet {
  return fields.difference(identityFields);
}

function setManagers(metadata: JsonObject, managers: Managers): void {
  if (managers.size > 0) metadata['managedFields'] = encodeManagers(managers);
}

/** If more than ten managers have updated one version, the oldest ones are merged into one entry. */
function capped(managers: Map<string, Manager>): Managers {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const order = ([keyA, a]: readonly [string, Manager], [keyB, b]: readonly [string, Manager]) =>
    (a.time ?? '') !== (b.time ?? '') ? ((a.time ?? '') < (b.time ?? '') ? -1 : 1) : keyA < keyB ? -1 : 1;
  const first = new Map<string, string>();
  for (const [key, manager] of updaters.sort(order)) {
    if (excess <= 0) break;
    const { apiVersion } = manager;
    const earliest = first.get(apiVersion);
    if (earliest === undefined) {
      first.set(apiVersion, key);
      continue;
    }
    const bucket = { name: oldUpdatesName, operation: 'Update', apiVersion, subresource: '' } as const;
    const bucketKey = managerKey(bucket);
    const shared = managers.get(bucketKey) ?? managers.get(earliest);
    if (!managers.has(bucketKey)) managers.delete(earliest);
    managers.delete(key);
    const fields = shared ? manager.fields.union(shared.fields) : manager.fields;
    managers.set(bucketKey, { ...bucket, time: manager.time, fields });
    excess--;
  }
  return managers;
}

/** The outcome of a server-side apply. */
export interface Applied {
  readonly object: JsonObject;
}

/**
 * Server-side apply: sets and owns the fields of `config`; removes fields that were applied earlier and are missing
 * now, unless others own them. Throws a `ConflictError` if it would change fields of others, unless `force`.
 */
export function applyConfig(
  rules: OwnershipRules,
  live: JsonObject,
  empty: JsonObject,
  config: JsonObject,
  writer: Writer,
  force: boolean,
): Applied {
  const base = withoutManagers(live);
  const before = managersBefore(rules, live, base, empty, writer);
  const entry = {
    name: writer.manager,
    operation: 'Apply',
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
  } as const;
  const key = managerKey(entry);
  const last = before.get(key);
  // Names and other identity fields stay owned until the end; otherwise removing all labels would remove them too.
  const fields = toFieldSet(rules.type, config).recursiveDifference(rules.resetFields);
  const managers = new Map(before).set(key, { ...entry, time: writer.time, fields });
  const merged = mergeValues(rules.type, base, config) as JsonObject;
  const next = last ? prune(rules.type, merged, managers, last.fields) : merged;
  const comparison = filtered(compareValues(rules.type, base, next), rules.resetFields);
  if (!force) refuseConflicts(managers, key, comparison);
  const after = takenOver(managers, comparison, key);
  const unchanged = equalJson(base, next);
  const own = stripped(fields);
  // An apply without changes keeps the previous timestamp, or has none.
  if (own.isEmpty) after.delete(key);
  else after.set(key, { ...entry, time: unchanged ? last?.time : writer.time, fields: own });
  const object: JsonObject = { ...next, metadata: { ...asObject(next['metadata']) } };
  setManagers(object['metadata'] as JsonObject, capped(after));
  return { object };
}

/** Fields without a known owner belong to `before-first-apply`, so that an apply can conflict with them. */
function managersBefore(
  rules: OwnershipRules,
  live: JsonObject,
  base: JsonObject,
  empty: JsonObject,
  writer: Writer,
): Managers {
  const metadata = asObject(live['metadata']) ?? {};
  const known = decodeManagers(metadata) ?? new Map<string, Manager>();
  if (known.size > 0 || metadata['uid'] === undefined) return known;
  const { modified, added } = filtered(compareValues(rules.type, empty, base), rules.resetFields);
  const fields = stripped(modified.union(added));
  if (fields.isEmpty) return known;
  const { apiVersion, subresource, time } = writer;
  const entry: Manager = { name: 'before-first-apply', operation: 'Update', apiVersion, subresource, time, fields };
  return new Map([[managerKey(entry), entry]]);
}

function refuseConflicts(managers: Managers, applying: string, comparison: Comparison): void {
  const changed = comparison.modified.union(comparison.added);
  const conflicts = [...managers]
    .filter(([key]) => key !== applying)
    .map(([, manager]) => ({ manager, fields: manager.fields.intersection(changed) }))
    .filter(({ fields }) => !fields.isEmpty);
  if (conflicts.length > 0) throw new ConflictError(conflicts);
}

/** Removes what this manager applied last time and no other manager owns now. */
function prune(type: FieldType, merged: JsonObject, managers: Managers, last: FieldSet): JsonObject {
  const lastSet = withNamedFields(last, type);
  const pruned = (removeItems(type, merged, lastSet) ?? {}) as JsonObject;
  const owned = [...managers.values()].reduce((set, manager) => set.union(manager.fields), new FieldSet());
  const mergedSet = withNamedFields(toFieldSet(type, merged), type);
  const prunedSet = withNamedFields(toFieldSet(type, pruned), type);
  const kept = prunedSet.union(withNamedFields(owned, type));
  const withOwned = (removeItems(type, merged, mergedSet.difference(kept)) ?? {}) as JsonObject;
  const withOwnedSet = withNamedFields(toFieldSet(type, withOwned), type);
  return (removeItems(type, merged, mergedSet.difference(withOwnedSet).intersection(lastSet)) ?? {}) as JsonObject;
}
