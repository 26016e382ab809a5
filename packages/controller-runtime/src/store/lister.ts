// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyString, type ObjectKey } from '@etcd-operator/kube';
import { namespaceIndex, type Store } from './store.ts';

/** Which objects of a cache are wanted; all conditions must hold. */
export interface ListerSelection {
  readonly namespace?: string;
  /** Labels the object must have with exactly these values. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Reads one kind from the cache: no request, no wait. What it hands out is shared with everyone else: never modify it; make a
 * changed copy.
 */
export interface Lister<T extends KubeObject> {
  /** The object, or `undefined` if the cache has none of that name. */
  get(key: ObjectKey | string): T | undefined;
  /** In no particular order. */
  list(selection?: ListerSelection): T[];
  /** The objects that have `value` in the index `name`. Fails if there is no such index. */
  byIndex(name: string, value: string): T[];
  readonly size: number;
}

/** A lister over a store. */
export function listerOf<T extends KubeObject>(store: Store<T>): Lister<T> {
  const byIndex = (name: string, value: string): T[] => {
    const indexer = store.indexer(name);
    if (!indexer) throw new Error(`there is no index named ${name}; add it to the informer first`);
    const found: T[] = [];
    for (const key of indexer.keys(value) ?? []) {
      const object = store.get(key);
      if (object) found.push(object);
    }
    return found;
  };
  const all = (): T[] => Array.from(store.entries(), ([, object]) => object);
  return {
    get: (key) => store.get(typeof key === 'string' ? key : keyString(key)),
    list({ namespace, labels } = {}) {
      const objects = namespace === undefined ? all() : byIndex(namespaceIndex, namespace);
      return labels ? objects.filter((object) => hasLabels(object, labels)) : objects;
    },
    byIndex,
    get size() {
      return store.size;
    },
  };
}

function hasLabels(object: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const own = object.metadata?.labels;
  for (const name in labels) if (own?.[name] !== labels[name]) return false;
  return true;
}
