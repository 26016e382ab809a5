// SPDX-License-Identifier: Apache-2.0
import { isObject, own } from '../json/json-value.ts';
import type { DeleteOptions, Patch } from './client.ts';

/** True if an object names the version or the identity it is meant for: written twice, it takes effect at most once. */
export function hasPrecondition(object: unknown): boolean {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  return isObject(metadata) && Boolean(own(metadata, 'resourceVersion'));
}

/** True if a patch names the version it is meant for. */
export function patchHasPrecondition(patch: Patch): boolean {
  if (patch.type !== 'json') return hasPrecondition(patch.patch);
  return patch.operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
}

/** True if a deletion names the object it is meant for: a second one finds it gone, or another in its place. */
export function deleteHasPrecondition(options: DeleteOptions): boolean {
  return Boolean(options.preconditions?.uid || options.preconditions?.resourceVersion);
}
