// SPDX-License-Identifier: Apache-2.0
import type { JsonPatchOperation } from '../client/client.ts';
import { jsonEqual } from '../json/json-equal.ts';
import { isArray, isObject, type JsonObject, type JsonValue, own } from '../json/json-value.ts';
import { pointerTo } from './json-pointer.ts';

/**
 * The JSON patch from `before` to `after`. Compares objects and lists recursively; lists are compared by position
 * between their common beginning and end. Keys set to `undefined` count as absent.
 */
export function createJsonPatch(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diff('', before as JsonValue, after as JsonValue, operations);
  return operations;
}

function diff(path: string, before: JsonValue, after: JsonValue, out: JsonPatchOperation[]): void {
  if (isObject(before) && isObject(after)) diffObjects(path, before, after, out);
  else if (isArray(before) && isArray(after)) diffArrays(path, before, after, out);
  else if (!jsonEqual(before, after)) out.push({ op: 'replace', path, value: after });
}

function diffObjects(path: string, before: JsonObject, after: JsonObject, out: JsonPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && own(after, key) === undefined)
      out.push({ op: 'remove', path: pointerTo(path, key) });
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = own(before, key);
    if (old === undefined) out.push({ op: 'add', path: pointerTo(path, key), value });
    else diff(pointerTo(path, key), old, value, out);
  }
}

function diffArrays(
  path: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  out: JsonPatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && jsonEqual(before[start], after[start])) start++;
  let tail = 0;
  while (tail < shorter - start && jsonEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const paired = shorter - tail;
  for (let index = start; index < paired; index++) {
    diff(pointerTo(path, index), before[index] ?? null, after[index] ?? null, out);
  }
  // Removes from the end, so that the positions of the remaining items stay valid.
  for (let index = before.length - tail - 1; index >= paired; index--) {
    out.push({ op: 'remove', path: pointerTo(path, index) });
  }
  for (let index = paired; index < after.length - tail; index++) {
    out.push({ op: 'add', path: pointerTo(path, index), value: after[index] ?? null });
  }
}
