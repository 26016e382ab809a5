// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, equalJson, freezeJson, type JsonObject } from '../json/json.ts';
import { FieldSet } from './field-set.ts';

/** One entry of `metadata.managedFields`: a manager and its fields. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/**
 * The identity of a manager. It includes the API version for updates only: an applier is the same manager in every
 * version.
 */
export function managerKey(manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const version = manager.operation === 'Apply' ? '' : manager.apiVersion;
  return JSON.stringify([manager.operation, manager.name, version, manager.subresource]);
}

/** Managers by their key. */
export type Managers = ReadonlyMap<string, Manager>;

const decoded = new WeakMap<JsonObject, FieldSet>();

/** Reads `metadata.managedFields`. Undefined if an entry is invalid. */
export function decodeManagers(metadata: JsonObject): Managers | undefined {
  const managers = new Map<string, Manager>();
  for (const entry of asObjects(metadata['managedFields'])) {
    const manager = decodeEntry(entry);
    if (!manager) return undefined;
    const key = managerKey(manager);
    const present = managers.get(key);
    managers.set(key, present ? { ...manager, fields: present.fields.union(manager.fields) } : manager);
  }
  return managers;
}

function decodeEntry(entry: JsonObject): Manager | undefined {
  const { manager, operation, apiVersion, subresource, time, fieldsType } = entry;
  const fields = asObject(entry['fieldsV1']);
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (fieldsType !== 'FieldsV1' || !fields || typeof apiVersion !== 'string') return undefined;
  return {
    name: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    subresource: typeof subresource === 'string' ? subresource : '',
    time: typeof time === 'string' ? time : undefined,
    fields: fieldSetOf(fields),
  };
}

/** Stored entries are frozen and read at each write: their sets are cached as long as the entries exist. */
function fieldSetOf(fields: JsonObject): FieldSet {
  const known = decoded.get(fields);
  if (known) return known;
  const set = FieldSet.fromFieldsV1(fields);
  if (Object.isFrozen(fields)) decoded.set(fields, set);
  return set;
}

/** Serialized sets by their JSON text. Many objects have the same managedFields and share one copy. */
const written = new Map<string, JsonObject>();
const writtenLimit = 2000;
const encoded = new WeakMap<FieldSet, JsonObject>();

function fieldsV1Of(fields: FieldSet): JsonObject {
  const known = encoded.get(fields);
  if (known) return known;
  const text = fields.fieldsText();
  const alike = written.get(text);
  if (alike) return alike;
  const made = freezeJson(JSON.parse(text) as JsonObject);
  if (written.size >= writtenLimit) written.clear();
  written.set(text, made);
  encoded.set(fields, made);
  decoded.set(made, fields);
  return made;
}

/** Writes `metadata.managedFields`: appliers first, then by time and name. */
export function encodeManagers(managers: Managers): JsonObject[] {
  return [...managers.values()].sort(compareManagers).map(encodeEntry);
}

function encodeEntry(manager: Manager): JsonObject {
  return {
    ...(manager.name ? { manager: manager.name } : {}),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1Of(manager.fields),
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** True if two objects are equal except for the times in managedFields. */
export function equalButForTimes(a: JsonObject, b: JsonObject): boolean {
  const withoutMetadata = ({ metadata: _metadata, ...rest }: JsonObject) => rest;
  const plain = (object: JsonObject) => {
    const { managedFields, resourceVersion: _version, ...rest } = asObject(object['metadata']) ?? {};
    return { ...rest, managedFields: asObjects(managedFields).map(({ time: _time, ...entry }) => entry) };
  };
  return equalJson(withoutMetadata(a), withoutMetadata(b)) && equalJson(plain(a), plain(b));
}
