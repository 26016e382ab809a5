// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from '../../json/json-value.ts';
import { PatchError } from '../patch-error.ts';
import type { PatchSchema } from '../patch-schema.ts';
import { conflictBetween } from './conflict.ts';
import { diffObjects } from './diff.ts';
import { mergeObject } from './merge-object.ts';

/**
 * Applies a strategic merge patch as the API server does: lists merge by their merge key, and the directives `$patch`,
 * `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` take effect. The arguments stay as they are; the
 * result shares parts with them.
 */
export function applyStrategicPatch<T>(object: T, patch: unknown, schema: PatchSchema): T {
  return mergeObject(objectOr(object, 'object'), objectOr(patch, 'patch'), schema, 'apply') as T;
}

/**
 * The two-way patch: what turns `before` into `after`. A null inside `after` cannot be expressed, it means "absent"; nor
 * can a value that stands twice in a merged list of values. Items with the same merge key (a port for TCP and for UDP)
 * come out side by side.
 */
export function createStrategicPatch(before: unknown, after: unknown, schema: PatchSchema): JsonObject {
  return diffObjects(objectOr(before, 'object'), objectOr(after, 'object'), schema, {
    additions: true,
    deletions: true,
  });
}

/** The three documents of `kubectl apply`. */
export interface ThreeWay {
  /** What the user wanted last time; `{}` the first time. */
  readonly original: unknown;
  /** What the user wants now. */
  readonly modified: unknown;
  /** What the server has. */
  readonly current: unknown;
}

/**
 * The three-way patch: makes `current` what `modified` says, removes what `original` had and `modified` lacks, and leaves
 * alone what others have set. With `overwrite: false`, a field that others have changed since `original` and that the
 * patch would change too is an error of code `Conflict`. @default overwrite: true
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
