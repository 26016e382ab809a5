// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import type { PatchSchema } from '../patch-schema.ts';
import { conflictBetween } from './conflict.ts';
import { diffObjects } from './diff.ts';
import { mergeObject } from './merge-object.ts';

/**
 * Applies a strategic merge patch like the API server: lists are merged by their merge key, and the directives
 * `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` take effect. The arguments are not
 * modified; the result shares parts with them.
 */
export function applyStrategicPatch<T>(object: T, patch: unknown, schema: PatchSchema): T {
  return mergeObject(objectOr(object, 'object'), objectOr(patch, 'patch'), schema, 'apply') as T;
}

/**
 * The two-way patch from `before` to `after`. It cannot express a null in `after`, which means "absent", nor duplicate
 * values in a merged list of values. Items with the same merge key (a port for TCP and for UDP) are adjacent in the
 * result.
 */
export function createStrategicPatch(before: unknown, after: unknown, schema: PatchSchema): JsonObject {
  return diffObjects(objectOr(before, 'object'), objectOr(after, 'object'), schema, {
    additions: true,
    deletions: true,
  });
}

/** The three documents of `kubectl apply`. */
export interface ThreeWay {
  /** The user's previous version; `{}` the first time. */
  readonly original: unknown;
  /** The user's new version. */
  readonly modified: unknown;
  /** The server's version. */
  readonly current: unknown;
}

/**
 * The three-way patch: changes `current` to `modified`, removes fields of `original` that `modified` lacks, and keeps
 * the fields of others. With `overwrite: false`, a field that others have changed since `original` and that the patch
 * would change is an error of code `Conflict`.
 * @default overwrite: true
 */
export function createThreeWayStrategicPatch(
  documents: ThreeWay,
  schema: PatchSchema,
  options: { readonly overwrite?: boolean } = {},
): JsonObject {
  const original = objectOr(documents.original, 'original');
  const modified = objectOr(documents.modified, 'modified');
  const current = objectOr(documents.current, 'current');
  const delta = diffObjects(current, modified, schema, { additions: true, deletions: false });
  const deletions = diffObjects(original, modified, schema, { additions: false, deletions: true });
  const patch = mergeObject(deletions, delta, schema, 'combine');
  if (options.overwrite ?? true) return patch;
  const changed = diffObjects(original, current, schema, { additions: true, deletions: true });
  const conflict = conflictBetween(patch, changed, schema);
  if (conflict) throw new PatchError('Conflict', `${conflict} was also changed by another client`);
  return patch;
}

function objectOr(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new PatchError('Malformed', `a strategic merge patch needs the ${name} to be an object`);
}
