// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyString, type ObjectKey } from '@operator-parts/kube';
import type { DeepReadonly } from './deep-readonly.ts';
import { namespaceIndex, type Store } from './store.ts';

/** A selection of cached objects; all conditions must hold. */
export interface ListerSelection {
  readonly namespace?: string;
  /** Labels the object must have with exactly these values. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Reads one kind from the cache: no request, no wait. The objects are shared with all readers, so their type is
 * readonly, and outside production they are frozen: copy an object to change it.
 */
export interface Lister<T extends KubeObject> {
  /** The object, or `undefined` if the cache has none with that name. */
  get(key: ObjectKey | string): DeepReadonly<T> | undefined;
  /** In no particular order. */
  list(selection?: ListerSelection): DeepReadonly<T>[];
  /** The objects that have `value` in the index `name`. Throws if there is no such index. */
  byIndex(name: string, value: string): DeepReadonly<T>[];
  readonly size: number;
}

/** A lister over a store. */
export function listerOf<T extends KubeObject>(store: Store<T>): Lister<T> {
  // The same objects with a readonly type.
  const shared = store as unknown as Store<T & DeepReadonly<T>>;
  const byIndex = (name: string, value: string): DeepReadonly<T>[] => {
    const indexer = shared.indexer(name);
    if (!indexer) throw new Error(`the index ${name} does not exist; add it to the informer first`);
    const found: DeepReadonly<T>[] = [];
    for (const key of indexer.keys(value) ?? []) {
      const object = shared.get(key);
      if (object) found.push(object);
    }
    return found;
  };
  const all = (): DeepReadonly<T>[] => Array.from(shared.entries(), ([, object]) => object);
  return {
    get: (key) => shared.get(typeof key === 'string' ? key : keyString(key)),
    list({ namespace, labels } = {}) {
      const objects = namespace === undefined ? all() : byIndex(namespaceIndex, namespace);
      return labels ? objects.filter((object) => hasLabels(object as KubeObject, labels)) : objects;
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
