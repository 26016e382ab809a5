// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@etcd-operator/kube';
import { qualifiedName } from '@etcd-operator/kube';
import type { ObjectFeed } from '../server/object-feed.ts';
import { ObjectCache } from './object-cache.ts';

/** One cache for each kind, shared by all controllers and made when it is first asked for. */
export class SharedCaches {
  readonly #feed: ObjectFeed;
  readonly #caches = new Map<string, ObjectCache<KubeObject>>();

  constructor(feed: ObjectFeed) {
    this.#feed = feed;
  }

  of<T extends KubeObject>(resource: Resource<T>): ObjectCache<T> {
    const name = qualifiedName(resource);
    const known = this.#caches.get(name) as ObjectCache<T> | undefined;
    if (known) return known;
    const made = new ObjectCache(this.#feed, resource);
    this.#caches.set(name, made as unknown as ObjectCache<KubeObject>);
    return made;
  }

  /** Cuts all caches off from the API server. */
  leave(): void {
    for (const cache of this.#caches.values()) cache.leave();
  }

  /** Lets all caches catch up and follow again. */
  join(): void {
    for (const cache of this.#caches.values()) cache.join();
  }
}
