// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyOf, keyString, type Resource } from '@operator-parts/kube';
import type { ObjectChange, ObjectFeed } from '../server/object-feed.ts';

/** Called for each change after the cache contains it. */
export type ChangeListener<T extends KubeObject> = (change: ObjectChange<T>) => void;

/**
 * All objects of one kind, by key, for the lab's own controllers and nodes. It can be disconnected from the API server,
 * like a node without a network: it then keeps its objects, and catches up change by change when it is reconnected.
 */
export class ObjectCache<T extends KubeObject> {
  readonly #feed: ObjectFeed;
  readonly #resource: Resource<T>;
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<ChangeListener<T>>();
  #leave: (() => void) | undefined;

  constructor(feed: ObjectFeed, resource: Resource<T>) {
    this.#feed = feed;
    this.#resource = resource;
    this.join();
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(keyString(namespace ? { namespace, name } : { name }));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  inNamespace(namespace: string): readonly T[] {
    return this.list().filter((object) => object.metadata?.namespace === namespace);
  }

  /**
   * Calls `listener` with ADDED for each present object before it returns. Returns a function that unsubscribes the
   * listener.
   */
  subscribe(listener: ChangeListener<T>): () => void {
    for (const object of this.list()) listener({ type: 'ADDED', object });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves with the object as soon as it exists. */
  appears(namespace: string | undefined, name: string): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.get(namespace, name);
        if (!found) return;
        leave?.();
        resolve(found);
      };
      const leave: (() => void) | undefined = this.get(namespace, name) ? undefined : this.subscribe(look);
      look();
    });
  }

  /** Catches up with the API server and follows it from now on. */
  join(): void {
    if (this.#leave) return;
    const present = new Set(this.#feed.list(this.#resource).map((object) => keyString(keyOf(object))));
    for (const [key, object] of [...this.#objects]) if (!present.has(key)) this.#take({ type: 'DELETED', object });
    this.#leave = this.#feed.subscribe(this.#resource, (change) => this.#take(change));
  }

  /** Stops following. */
  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  #take({ type, object }: ObjectChange<T>): void {
    const key = keyString(keyOf(object));
    const known = this.#objects.get(key);
    if (type === 'DELETED') this.#objects.delete(key);
    else if (known?.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    else this.#objects.set(key, object);
    const replaced = known && known.metadata?.uid !== object.metadata?.uid && type !== 'DELETED';
    if (replaced) this.#tell({ type: 'DELETED', object: known });
    this.#tell({ type: type === 'DELETED' ? type : known && !replaced ? 'MODIFIED' : 'ADDED', object });
  }

  #tell(change: ObjectChange<T>): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}
