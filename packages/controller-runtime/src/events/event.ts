// SPDX-License-Identifier: Apache-2.0
import type { Event, KubeObject, ObjectReference } from '@operator-parts/kube';

export type EventType = 'Normal' | 'Warning';

/**
 * A core/v1 Event with all fields that recorders write. `reason` is one CamelCase word for programs, `message` a
 * sentence for users.
 */
export interface EventObject extends Event {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** A reference to an object that was read from the API. */
export function referenceTo(object: KubeObject): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
