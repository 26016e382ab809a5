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
 * Records the field manager of a create, update or patch: sets `metadata.managedFields` of `next`. `next` is the object
 * to be stored; `live` is the stored object, or an empty object of the kind.
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

/** managedFields in the request replace the stored ones, so that users can edit them; an empty list resets them. */
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

/** The managers after a change. All except `applying` lose the fields that were changed or removed. */
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

/** If more than ten managers have updated an object, the oldest ones of each API version are merged into one entry. */
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
 * Server-side apply: sets the fields of `config`, which the manager then owns. Fields that the manager applied earlier
 * and that are not in `config` are removed, unless another manager owns them. Without `force`, throws a `ConflictError`
 * instead of changing a field of another manager.
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
  // Identity fields such as the name stay owned until the end; otherwise removing all labels would remove the name,
  // too.
  const fields = toFieldSet(rules.type, config).recursiveDifference(rules.resetFields);
  const managers = new Map(before).set(key, { ...entry, time: writer.time, fields });
  const merged = mergeValues(rules.type, base, config) as JsonObject;
  const next = last ? prune(rules.type, merged, managers, last.fields) : merged;
  const comparison = filtered(compareValues(rules.type, base, next), rules.resetFields);
  if (!force) refuseConflicts(managers, key, comparison);
  const after = takenOver(managers, comparison, key);
  const unchanged = equalJson(base, next);
  const own = stripped(fields);
  // An apply that changes nothing keeps the time of the manager's previous apply, if there was one.
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

/** Removes the fields that this manager applied last time, does not apply now, and no other manager owns. */
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
