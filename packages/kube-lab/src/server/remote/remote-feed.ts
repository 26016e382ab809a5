// SPDX-License-Identifier: Apache-2.0
import { type Client, type KubeObject, keyOf, keyString, qualifiedName, type Resource } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';
import type { ObjectChange, ObjectFeed } from '../object-feed.ts';

const retryPeriod = 200;

interface RemoteFeedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * The feed of an API server outside of the lab. It lists and watches each kind from its first use on. So at the first
 * use of a kind its objects are not known yet; they come later.
 */
export class RemoteFeed implements ObjectFeed {
  readonly #options: RemoteFeedOptions;
  readonly #kinds = new Map<string, FollowedKind<KubeObject>>();

  constructor(options: RemoteFeedOptions) {
    this.#options = options;
  }

  /** Resolves when the present objects of these kinds are known. */
  async know(kinds: readonly Resource<KubeObject>[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#follow(kind).known));
  }

  list<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    return [...this.#follow(resource).objects.values()];
  }

  subscribe<T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void): () => void {
    const { objects, listeners } = this.#follow(resource);
    for (const object of objects.values()) listener({ type: 'ADDED', object });
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  #follow<T extends KubeObject>(resource: Resource<T>): FollowedKind<T> {
    const name = qualifiedName(resource);
    // Safe: each name belongs to one type.
    const known = this.#kinds.get(name) as unknown as FollowedKind<T> | undefined;
    if (known) return known;
    const made = new FollowedKind(resource, this.#options);
    this.#kinds.set(name, made as unknown as FollowedKind<KubeObject>);
    return made;
  }
}

/** All objects of one kind, from a list and a watch. */
class FollowedKind<T extends KubeObject> {
  readonly objects = new Map<string, T>();
  readonly listeners = new Set<(change: ObjectChange<T>) => void>();
  readonly known: Promise<void>;
  readonly #resource: Resource<T>;
  readonly #options: RemoteFeedOptions;
  readonly #listed = Promise.withResolvers<void>();

  constructor(resource: Resource<T>, options: RemoteFeedOptions) {
    this.#resource = resource;
    this.#options = options;
    this.known = this.#listed.promise;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { clock, log, signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#listAndWatch();
      } catch (error) {
        if (signal.aborted) return;
        log.debug('a watch of the lab ended', { kind: this.#resource.kind, error });
        await clock.sleep(retryPeriod, signal).catch(() => undefined);
      }
    }
  }

  /** Ends only by an error. When the server ends the watch, a new watch continues at the last version. */
  async #listAndWatch(): Promise<void> {
    const { signal } = this.#options;
    const client = this.#options.client.resource(this.#resource);
    const { items, metadata } = await client.list({ signal });
    this.#replaceAll(items);
    this.#listed.resolve();
    for (let resourceVersion = metadata.resourceVersion ?? ''; ; ) {
      for await (const event of client.watch({ resourceVersion, signal })) {
        if (event.type !== 'BOOKMARK') this.#take(event);
        resourceVersion =
          event.type === 'BOOKMARK'
            ? event.resourceVersion
            : (event.object.metadata?.resourceVersion ?? resourceVersion);
      }
    }
  }

  #replaceAll(items: readonly T[]): void {
    const present = new Set(items.map((item) => keyString(keyOf(item))));
    for (const [key, object] of [...this.objects]) if (!present.has(key)) this.#take({ type: 'DELETED', object });
    for (const object of items) this.#take({ type: 'ADDED', object });
  }

  #take({ type, object }: ObjectChange<T>): void {
    const key = keyString(keyOf(object));
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, object);
    for (const listener of [...this.listeners]) listener({ type, object });
  }
}
