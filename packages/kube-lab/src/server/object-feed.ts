// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, qualifiedName, type Resource } from '@operator-parts/kube';
import type { JsonObject } from '../json/json.ts';
import type { Store } from '../storage/store.ts';

/** One change of a stored object. */
export interface ObjectChange<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/**
 * A synchronous subscription to stored objects, for the lab's own controllers: existing objects first, then every
 * change. Without faults, authentication or paging. Objects are deeply frozen and in their storage version.
 */
export interface ObjectFeed {
  list<T extends KubeObject>(resource: Resource<T>): readonly T[];
  /**
   * Calls `listener` with ADDED for each existing object before it returns. Returns a function that unsubscribes the
   * listener.
   */
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

/** Safe: `resource` connects the type with the collection, and stored objects match the schema of their kind. */
function asKind<T extends KubeObject>(object: JsonObject): T {
  const untyped: unknown = object;
  return untyped as T;
}
