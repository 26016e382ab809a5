// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '../../json/json-equal.ts';
import { isArray, isObject, type JsonObject, type JsonValue, own } from '../../json/json-value.ts';
import { fieldRule, type PatchSchema } from '../patch-schema.ts';
import { patchDirective, retainKeysDirective } from './directive.ts';

/**
 * Where two patches of one object differ, as a path; undefined if they do not. Orders of lists and values added to
 * lists never conflict.
 */
export function conflictBetween(
  left: JsonObject,
  right: JsonObject,
  schema: PatchSchema,
  path = '',
): string | undefined {
  if (own(left, patchDirective) !== own(right, patchDirective)) return path || '/';
  for (const [key, value] of Object.entries(left)) {
    const other = own(right, key);
    if (other === undefined || key === patchDirective || key === retainKeysDirective) continue;
    const conflict = fieldConflict(key, value, other, schema, `${path}/${key}`);
    if (conflict) return conflict;
  }
  return undefined;
}

function fieldConflict(
  key: string,
  left: JsonValue,
  right: JsonValue,
  schema: PatchSchema,
  path: string,
): string | undefined {
  const rule = fieldRule(schema, key);
  if (isObject(left) && isObject(right))
    return rule.replace ? undefined : conflictBetween(left, right, rule.schema, path);
  if (isArray(left) && isArray(right) && key.startsWith('$')) return undefined;
  if (isArray(left) && isArray(right) && rule.merge) {
    return itemConflict(left, right, rule.mergeKey ?? '', rule.schema, path);
  }
  return jsonEqual(left, right) ? undefined : path;
}

function itemConflict(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  mergeKey: string,
  schema: PatchSchema,
  path: string,
): string | undefined {
  for (const item of left) {
    if (!isObject(item)) continue;
    const twin = right.find((other) => isObject(other) && own(other, mergeKey) === own(item, mergeKey));
    const conflict = isObject(twin) && conflictBetween(item, twin, schema, `${path}/${String(own(item, mergeKey))}`);
    if (conflict) return conflict;
  }
  return undefined;
}
