// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import type { PatchSchema } from '../patch-schema.ts';
import { diffObjects } from './diff.ts';
import { mergeObject } from './merge-object.ts';

/**
 * Applies a strategic merge patch like the API server: lists are merged by their merge key, and the directives
 * `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` take effect. The arguments are not
 * modified; the result shares parts with them.
 */
export function applyStrategicPatch<T>(object: T, patch: unknown, schema: PatchSchema): T {
  return mergeObject(objectOr(object, 'object'), objectOr(patch, 'patch'), schema) as T;
}

/**
 * The two-way patch from `before` to `after`. It cannot express a null in `after`, which means "absent", nor duplicate
 * values in a merged list of values. Items with the same merge key (a port for TCP and for UDP) are adjacent in the
 * result.
 */
export function createStrategicPatch(before: unknown, after: unknown, schema: PatchSchema): JsonObject {
  return diffObjects(objectOr(before, 'object'), objectOr(after, 'object'), schema);
}

function objectOr(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new PatchError('Malformed', `a strategic merge patch needs the ${name} to be an object`);
}
