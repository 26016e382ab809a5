// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '../json/json-equal.ts';
import { isArray, isObject, type JsonObject, type JsonValue, own, setOwn } from '../json/json-value.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a JSON merge patch (RFC 7386) like the API server. In new values, null fields are removed, also inside lists.
 * The argument is not modified; the result shares parts with the document and the patch.
 */
export function applyMergePatch<T>(document: T, patch: unknown): T {
  return merge(document as JsonValue, patch as JsonValue) as T;
}

function merge(document: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return isObject(document) ? patch : withoutNulls(patch);
  if (!isObject(document)) return withoutNulls(patch);
  const result: Record<string, JsonValue> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (value !== undefined) setOwn(result, key, merge(own(document, key), value));
  }
  return result;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

/**
 * The merge patch from `before` to `after`. Lists are replaced. A null in `after` cannot be expressed: it means
 * "absent" in a merge patch.
 */
export function createMergePatch(before: unknown, after: unknown): JsonObject {
  if (!isObject(before) || !isObject(after)) {
    throw new PatchError('Malformed', 'a merge patch can be made between two objects only');
  }
  return diff(before, after);
}

function diff(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(after)) {
    const changed = value === undefined ? undefined : diffValue(own(before, key), value);
    if (changed !== undefined) setOwn(patch, key, changed);
  }
  for (const key of Object.keys(before)) if (own(after, key) === undefined) setOwn(patch, key, null);
  return patch;
}

/** The patch of one field, undefined for none. */
function diffValue(before: JsonValue | undefined, after: JsonValue): JsonValue | undefined {
  if (isObject(before) && isObject(after)) {
    const inner = diff(before, after);
    return Object.keys(inner).length > 0 ? inner : undefined;
  }
  return jsonEqual(before, after) ? undefined : after;
}
