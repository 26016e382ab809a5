// SPDX-License-Identifier: Apache-2.0
import type { JsonPatchOperation } from '../client/client.ts';
import { jsonEqual } from '../json/json-equal.ts';
import { isArray, isObject, type JsonObject, type JsonValue, own, setOwn } from '../json/json-value.ts';
import { parsePointer, pointerTo } from './json-pointer.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a JSON patch (RFC 6902) like the API server: `replace` sets an absent key, array indices may be negative, a
 * `test` for null succeeds if the key is absent, and only `replace` and `test` may address the whole document. The
 * argument is not modified; the result shares unchanged parts. Either all operations take effect or an error is thrown.
 */
export function applyJsonPatch<T>(document: T, operations: readonly JsonPatchOperation[]): T {
  if (!isArray(operations)) throw new PatchError('Malformed', 'a JSON patch must be a list of operations');
  return operations.reduce<JsonValue>(applyOperation, document as JsonValue) as T;
}

function applyOperation(document: JsonValue, operation: JsonPatchOperation): JsonValue {
  if (typeof operation !== 'object' || operation === null) {
    throw new PatchError('Malformed', 'an operation of a JSON patch must be an object');
  }
  const path = parsePointer(text(operation.path, 'path'));
  switch (operation.op) {
    case 'add':
      return change(document, path, 'add', givenValue(operation));
    case 'replace':
      return path.length === 0 ? wholeDocument(operation) : change(document, path, 'replace', givenValue(operation));
    case 'remove':
      return change(document, path, 'remove');
    case 'test':
      if (!jsonEqual(read(document, path) ?? null, givenValue(operation))) {
        throw new PatchError('TestFailed', `test of ${JSON.stringify(operation.path)} failed`);
      }
      return document;
    case 'copy': {
      const value = read(document, from(operation)) ?? null;
      return change(document, path, 'add', value);
    }
    case 'move': {
      const value = read(document, from(operation));
      if (value === undefined) throw missing(from(operation));
      return change(change(document, from(operation), 'remove'), path, 'add', value);
    }
    default:
      throw new PatchError(
        'Malformed',
        `${JSON.stringify((operation as { op?: unknown }).op)} is not a JSON patch operation`,
      );
  }
}

function givenValue(operation: { readonly value?: unknown }): JsonValue {
  return (operation.value ?? null) as JsonValue;
}

function wholeDocument(operation: { readonly value?: unknown }): JsonValue {
  const value = givenValue(operation);
  if (isObject(value) || isArray(value)) return value;
  throw new PatchError('Malformed', 'a document can only be replaced by an object or an array');
}

function from(operation: { readonly from: string }): readonly string[] {
  const path = parsePointer(text(operation.from, 'from'));
  if (path.length === 0) throw missing([]);
  return path;
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new PatchError('Malformed', `an operation of a JSON patch needs a ${name}`);
}

/** The action at the last part of a path. */
interface Change {
  readonly kind: 'add' | 'replace' | 'remove';
  readonly value: JsonValue;
}

/** The document with one value changed; everything else is shared with the original. */
function change(
  document: JsonValue,
  path: readonly string[],
  kind: Change['kind'],
  value: JsonValue = null,
): JsonValue {
  if (path.length === 0) throw missing(path);
  return changeAt(document, path, 0, { kind, value });
}

function changeAt(document: JsonValue, path: readonly string[], depth: number, what: Change): JsonValue {
  const key = path[depth] ?? '';
  const last = depth === path.length - 1;
  if (isArray(document)) {
    const index = indexOf(document, key, last && what.kind === 'add', path);
    if (last) return changeArray(document, index, what);
    return document.with(index, changeAt(document[index] ?? null, path, depth + 1, what));
  }
  if (!isObject(document)) throw missing(path);
  if (last) return changeObject(document, key, what, path);
  const copy: Record<string, JsonValue> = { ...document };
  setOwn(copy, key, changeAt(own(document, key) ?? null, path, depth + 1, what));
  return copy;
}

function changeArray(array: readonly JsonValue[], index: number, { kind, value }: Change): readonly JsonValue[] {
  if (kind === 'replace') return array.with(index, value);
  return kind === 'add' ? array.toSpliced(index, 0, value) : array.toSpliced(index, 1);
}

function changeObject(object: JsonObject, key: string, { kind, value }: Change, path: readonly string[]): JsonObject {
  const copy: Record<string, JsonValue> = { ...object };
  if (kind !== 'remove') setOwn(copy, key, value);
  else if (Object.hasOwn(object, key)) delete copy[key];
  else throw missing(path);
  return copy;
}

/** The value at a path; undefined where an object lacks the last key. */
function read(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const key of path) {
    if (isArray(value)) value = value[indexOf(value, key, false, path)];
    else if (isObject(value)) value = own(value, key);
    else throw missing(path);
  }
  return value;
}

function indexOf(array: readonly JsonValue[], key: string, inserting: boolean, path: readonly string[]): number {
  const limit = inserting ? array.length + 1 : array.length;
  if (inserting && key === '-') return array.length;
  const number = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const index = number < 0 ? number + limit : number;
  if (!(index >= 0 && index < limit)) throw missing(path);
  return index;
}

function missing(path: readonly string[]): PatchError {
  const pointer = path.reduce(pointerTo, '');
  return new PatchError(
    'PathNotFound',
    `the operation cannot be applied: the document has no ${JSON.stringify(pointer)}`,
  );
}
