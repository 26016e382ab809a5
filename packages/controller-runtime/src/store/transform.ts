// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';

/** The object without `metadata.managedFields`, which is often half of its size and not needed by controllers. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Deep-freezes an object. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
