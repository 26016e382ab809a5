// SPDX-License-Identifier: Apache-2.0
import { isObject, own } from '../json/json-value.ts';
import type { DeleteOptions, Patch } from './client.ts';

/** True if an object contains the version or UID that it is meant for: writing it twice takes effect at most once. */
export function hasPrecondition(object: unknown): boolean {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  return isObject(metadata) && Boolean(own(metadata, 'resourceVersion'));
}

/** True if a patch contains the version that it is meant for. */
export function patchHasPrecondition(patch: Patch): boolean {
  if (patch.type !== 'json') return hasPrecondition(patch.patch);
  return patch.operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
}

/** True if a deletion contains the UID that it is meant for: a second one finds no object, or another one. */
export function deleteHasPrecondition(options: DeleteOptions): boolean {
  return Boolean(options.preconditions?.uid || options.preconditions?.resourceVersion);
}
