// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectMeta, Patch } from '@operator-parts/kube';

/** True if the object has the finalizer, which keeps it until the cleanup is done. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** True if the object is being deleted and waits for its finalizers. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/**
 * The patch that adds a finalizer; `undefined` if it is present, or if the object is being deleted (the server would
 * refuse). Fails with `Conflict` if the object changed or was replaced since it was read.
 */
export function addFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (hasFinalizer(object, finalizer) || isBeingDeleted(object)) return undefined;
  return finalizersPatch(object.metadata, [...(object.metadata?.finalizers ?? []), finalizer]);
}

/**
 * The patch that removes a finalizer; `undefined` if it is absent. Fails with `Conflict` if the object changed or was
 * replaced since it was read.
 */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (!hasFinalizer(object, finalizer)) return undefined;
  const rest = object.metadata?.finalizers?.filter((other) => other !== finalizer) ?? [];
  return finalizersPatch(object.metadata, rest);
}

function finalizersPatch(metadata: ObjectMeta | undefined, finalizers: readonly string[]): Patch {
  const { uid, resourceVersion } = metadata ?? {};
  // Both fields in the patch are preconditions.
  return { type: 'merge', patch: { metadata: { uid, resourceVersion, finalizers } } };
}
