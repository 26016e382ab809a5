// SPDX-License-Identifier: Apache-2.0
import { isArray, isObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';

/** The directives of strategic merge patches. */
export const patchDirective = '$patch';
export const retainKeysDirective = '$retainKeys';
const deletionPrefix = '$deleteFromPrimitiveList';
const orderPrefix = '$setElementOrder';

/** The meaning of a key of a patch. `field` is the list that a directive applies to. */
export type PatchKey =
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'deletions'; readonly field: string }
  | { readonly kind: 'order'; readonly field: string };

export function parseKey(key: string): PatchKey {
  if (key.startsWith(deletionPrefix)) return { kind: 'deletions', field: parallel(key, deletionPrefix) };
  if (key.startsWith(orderPrefix)) return { kind: 'order', field: parallel(key, orderPrefix) };
  return { kind: 'field', field: key };
}

export function deletionsKey(field: string): string {
  return `${deletionPrefix}/${field}`;
}

export function orderKey(field: string): string {
  return `${orderPrefix}/${field}`;
}

/** The field of `$setElementOrder/field`. */
function parallel(key: string, prefix: string): string {
  if (key.charAt(prefix.length) !== '/' || key.length === prefix.length + 1) {
    throw new PatchError('Malformed', `${JSON.stringify(key)} must have the form ${prefix}/<name of a list>`);
  }
  return key.slice(prefix.length + 1);
}

export function isDirective(key: string): boolean {
  return (
    key === patchDirective ||
    key === retainKeysDirective ||
    key.startsWith(`${deletionPrefix}/`) ||
    key.startsWith(`${orderPrefix}/`)
  );
}

/** True for `{ "$patch": "delete", ... }`: an item to be deleted. */
export function isDeletion(item: JsonValue): boolean {
  return isObject(item) && item[patchDirective] === 'delete';
}

/**
 * A new value from a patch: without null fields, without objects that contain a `$patch` directive, and without other
 * directives, which the server's decoder would drop.
 */
export function asNewValue(value: JsonValue): JsonValue | undefined {
  if (isArray(value)) return value.map(asNewValue).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  return fromEntries(value, (item) => (item === null ? undefined : asNewValue(item)));
}

/** A value that replaces an existing value, without directives and null fields, which the server's decoder drops. */
export function withoutDirectives(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutDirectives);
  return isObject(value) ? fromEntries(value, (item) => (item === null ? undefined : withoutDirectives(item))) : value;
}

function fromEntries(object: JsonObject, convert: (value: JsonValue) => JsonValue | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, item]) => {
      const kept = isDirective(key) || item === undefined ? undefined : convert(item);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}
