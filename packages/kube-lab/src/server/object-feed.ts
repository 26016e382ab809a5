// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, qualifiedName, type Resource } from '@etcd-operator/kube';
import type { JsonObject } from '../json/json.ts';
import type { Store } from '../storage/store.ts';

/** One change of a stored object. */
export interface ObjectChange<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/**
 * Synchronous subscription to stored objects, for the lab's own controllers: current objects first, then every change.
 * Not subject to faults, authentication or paging. Objects are deeply frozen and in their storage version.
 */
export interface ObjectFeed {
  list<T extends KubeObject>(resource: Resource<T>): readonly T[];
  /** Calls `listener` with ADDED for each present object before it returns. Returns the way to stop it. */
  subscribe<T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void): () => void;
}

/** The feed of a store. */
export function createObjectFeed(store: Store): ObjectFeed {
  const list = <T extends KubeObject>(resource: Resource<T>) =>
    store.list(qualifiedName(resource)).map((stored) => asKind<T>(stored.object));
  return {
    list,
    subscribe: <T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void) => {
      const { revision } = store;
      for (const object of list(resource)) listener({ type: 'ADDED', object });
      return store.watch(qualifiedName(resource), revision, ({ type, current }) =>
        listener({ type, object: asKind<T>(current.object) }),
      );
    },
  };
}

/** The caller's descriptor ties the type to the collection; what is stored there passed that kind's schema. */
function asKind<T extends KubeObject>(object: JsonObject): T {
  const untyped: unknown = object;
  return untyped as T;
}
