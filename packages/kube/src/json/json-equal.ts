// SPDX-License-Identifier: Apache-2.0
import { isArray, isObject } from './json-value.ts';

/** True if two JSON values are equal, regardless of key order. A key set to `undefined` counts as absent. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isArray(left)) {
    return isArray(right) && left.length === right.length && left.every((item, index) => jsonEqual(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  return includes(left, right) && countDefined(left) === countDefined(right);
}

function includes(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(left).every(
    (key) => left[key] === undefined || (Object.hasOwn(right, key) && jsonEqual(left[key], right[key])),
  );
}

function countDefined(object: Readonly<Record<string, unknown>>): number {
  return Object.keys(object).reduce((count, key) => (object[key] === undefined ? count : count + 1), 0);
}
