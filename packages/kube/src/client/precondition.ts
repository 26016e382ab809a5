// SPDX-License-Identifier: Apache-2.0
import { isObject, own } from '../json/json-value.ts';
import type { DeleteOptions, Patch } from './client.ts';

/** True if an object contains the resourceVersion that it replaces: sent twice, the write takes effect at most once. */
export function hasPrecondition(object: unknown): boolean {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  return isObject(metadata) && Boolean(own(metadata, 'resourceVersion'));
}

/** True if a patch contains the resourceVersion that it changes. */
export function patchHasPrecondition(patch: Patch): boolean {
  if (patch.type !== 'json') return hasPrecondition(patch.patch);
  return patch.operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
}

/** True if a deletion names the UID or resourceVersion of its object: sent twice, it cannot delete a second object. */
export function deleteHasPrecondition(options: DeleteOptions): boolean {
  return Boolean(options.preconditions?.uid || options.preconditions?.resourceVersion);
}
