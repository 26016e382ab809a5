// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@etcd-operator/kube';

/** Which object an event is about. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type EventType = 'Normal' | 'Warning';

/** A core/v1 Event, as far as recorders write it. Times are RFC 3339 with whole seconds. */
export interface EventObject extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly type: EventType;
  /** CamelCase, one word for machines. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
}

export const eventResource: Resource<EventObject> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

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

/** A time as `metav1.Time` writes it: whole seconds. */
export function secondsTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
