// SPDX-License-Identifier: Apache-2.0

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. `undefined` is never serialized: it means "absent". */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** True for objects, false for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, or undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value as an array, or an empty one. */
export function asArray(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The value as an array of objects; other items are left out. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return asArray(value).filter(isObject);
}

/** The value if it is a string, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value if it is a number, else undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The value at a path of keys, or undefined as soon as one is missing. */
export function getIn(value: unknown, ...path: readonly string[]): Json | undefined {
  let current: unknown = value;
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current as Json | undefined;
}

/** The object under `key`, created if absent or not an object. */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const present = parent[key];
  if (isObject(present)) return present;
  const made: JsonObject = {};
  parent[key] = made;
  return made;
}

/** Sets an own property whatever its name: `__proto__` is an ordinary key and never touches the prototype. */
export function setKey(object: JsonObject, key: string, value: Json | undefined): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A deep copy that shares nothing with its source. */
export function cloneJson<T extends Json | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: JsonObject = {};
  for (const key in value as JsonObject) {
    setKey(copy, key, cloneJson((value as JsonObject)[key]));
  }
  return copy as T;
}

/** Deep-freezes a JSON value and returns it. */
export function freezeJson<T extends Json | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freezeJson(item);
  else for (const key in value as JsonObject) freezeJson((value as JsonObject)[key]);
  return Object.freeze(value);
}

/** Deep equality of JSON values; an absent key and an undefined one are the same. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalJson(item, b[index]));
  }
  return equalObjects(a as JsonObject, b as JsonObject);
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let present = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    present++;
    if (!Object.hasOwn(b, key) || !equalJson(value, b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) present--;
  return present === 0;
}
