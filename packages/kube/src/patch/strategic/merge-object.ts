// SPDX-License-Identifier: Apache-2.0
import { isArray, isObject, type JsonObject, type JsonValue, own, setOwn } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import { type FieldRule, fieldRule, type PatchSchema } from '../patch-schema.ts';
import {
  asNewValue,
  isDirective,
  orderKey,
  parseKey,
  patchDirective,
  retainKeysDirective,
  withoutDirectives,
} from './directive.ts';
import { deleteValues, type ListField, mergeLists, orderList } from './merge-items.ts';

type Mutable = Record<string, JsonValue>;

/** Merges a patch into an object. Neither argument is modified. */
export function mergeObject(original: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  const directive = own(patch, patchDirective);
  if (directive !== undefined) return wholeObject(directive, patch);
  const result: Mutable = { ...original };
  const rest = new Map(Object.entries(patch).filter(([, value]) => value !== undefined));
  retainKeys(result, rest);
  for (const [key, value] of rest) {
    const parsed = parseKey(key);
    if (parsed.kind === 'order') applyOrder(result, rest, parsed.field, value, schema);
  }
  for (const [key, value] of rest) mergeKey(result, key, value, schema);
  return result;
}

/** `$patch: replace` replaces the object by the rest of the patch, `$patch: delete` by an empty object. */
function wholeObject(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject;
  throw new PatchError('Malformed', `$patch must be "replace" or "delete" here, not ${JSON.stringify(directive)}`);
}

/** `$retainKeys` lists the only keys that may remain. */
function retainKeys(result: Mutable, rest: Map<string, JsonValue>): void {
  const retained = rest.get(retainKeysDirective);
  if (retained === undefined) return;
  rest.delete(retainKeysDirective);
  if (!isArray(retained)) throw new PatchError('Malformed', '$retainKeys must be a list of keys');
  for (const [key, value] of rest) {
    if (value !== null && !isDirective(key) && !retained.includes(key)) {
      throw new PatchError('Malformed', `the patch sets ${JSON.stringify(key)}, which its $retainKeys leaves out`);
    }
  }
  for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
}

/** `$setElementOrder/field`: merges and orders the list now, and removes both from `rest`. */
function applyOrder(
  result: Mutable,
  rest: Map<string, JsonValue>,
  field: string,
  wanted: JsonValue,
  schema: PatchSchema,
): void {
  const key = orderKey(field);
  rest.delete(key);
  if (!isArray(wanted)) throw new PatchError('Malformed', `${key} must be a list`);
  const [live, patch] = [own(result, field), rest.get(field)];
  if (live === undefined && patch === undefined) return;
  const ordered = orderList(
    listField(field, fieldRule(schema, field)),
    listOr(live, field),
    listOr(patch, field),
    wanted,
  );
  setOwn(result, field, ordered);
  rest.delete(field);
}

function listOr(value: JsonValue | undefined, field: string): readonly JsonValue[] | undefined {
  if (value === undefined || isArray(value)) return value;
  throw new PatchError('Malformed', `${field} is ordered by the patch and must be a list`);
}

function mergeKey(result: Mutable, key: string, value: JsonValue, schema: PatchSchema): void {
  const { kind, field } = parseKey(key);
  if (kind === 'deletions') {
    deleteFromList(result, field, value);
    return;
  }
  if (value === null) {
    delete result[field];
    return;
  }
  const merged = mergeField(field, own(result, field), value, fieldRule(schema, field));
  if (merged === undefined) delete result[field];
  else setOwn(result, field, merged);
}

function deleteFromList(result: Mutable, field: string, values: JsonValue): void {
  const list = own(result, field);
  if (isArray(list) && isArray(values)) setOwn(result, field, deleteValues(field, list, values));
}

/** The new value of one field, undefined to remove it. */
function mergeField(
  field: string,
  original: JsonValue | undefined,
  patch: JsonValue,
  rule: FieldRule,
): JsonValue | undefined {
  if (isObject(original) && isObject(patch)) {
    return rule.replace ? withoutDirectives(patch) : mergeObject(original, patch, rule.schema);
  }
  if (isArray(original) && isArray(patch)) {
    return rule.merge ? mergeLists(listField(field, rule), original, patch) : withoutDirectives(patch);
  }
  return asNewValue(patch);
}

function listField(name: string, rule: FieldRule): ListField {
  return { name, rule, mergeItem: (original, patch) => mergeObject(original, patch, rule.schema) };
}
