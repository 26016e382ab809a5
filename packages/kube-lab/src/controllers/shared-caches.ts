// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@operator-parts/kube';
import { qualifiedName } from '@operator-parts/kube';
import type { ObjectFeed } from '../server/object-feed.ts';
import { ObjectCache } from './object-cache.ts';

/** One cache per kind, shared by all controllers and created on first use. */
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

  /** Disconnects all caches from the API server. */
  leave(): void {
    for (const cache of this.#caches.values()) cache.leave();
  }

  /** Reconnects all caches; they catch up. */
  join(): void {
    for (const cache of this.#caches.values()) cache.join();
  }
}
