// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, qualifiedName, type Reader, type Resource, type SelectOptions } from '@operator-parts/kube';
import type { Clock, Logger, Random, Timer } from '@operator-parts/ports';
import type { MetricRegistry } from '../metrics/registry.ts';
import { Waiters } from '../queue/waiters.ts';
import { Reflector } from '../reflector/reflector.ts';
import { reflectorMetrics } from '../reflector/reflector-metrics.ts';
import { versionOrder } from '../reflector/resource-version.ts';
import type { IndexFunction } from '../store/indexer.ts';
import { type Lister, listerOf } from '../store/lister.ts';
import { Store } from '../store/store.ts';
import { StructureCache } from '../store/structure-cache.ts';
import { deepFreeze, withoutManagedFields } from '../store/transform.ts';
import { type EventHandler, initialView, news, resyncOccasion } from './event-handler.ts';
import { HandlerFeed } from './handler-feed.ts';
import { InformerSink } from './informer-sink.ts';
import type { InformerStatus } from './informer-status.ts';

/** Which objects an informer caches. */
export interface InformerSelection {
  /** @default all namespaces */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface InformerOptions<T extends KubeObject> extends InformerSelection {
  readonly resource: Resource<T>;
  readonly reader: Pick<Reader<T>, 'list' | 'pages' | 'watch'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly log: Logger;
  readonly metrics?: MetricRegistry;
  /**
   * What is kept of an object, after `managedFields` is removed. Must keep apiVersion, kind and metadata.
   * @default all
   */
  readonly transform?: (object: T) => T;
  /** Deep-freezes every object. For tests: finds code that modifies the cache. @default false */
  readonly freeze?: boolean;
  /** @default true */
  readonly streaming?: boolean;
  /** @default 500 */
  readonly pageSize?: number;
  /** A watch that sends nothing for this long counts as dead, in milliseconds. @default 90000 */
  readonly idleLimit?: number;
}

export interface HandlerOptions {
  /** How often the handler receives every object again (resync), in milliseconds. @default never */
  readonly resyncPeriod?: number;
}

/** The registration of a handler at an informer. */
export interface HandlerRegistration {
  /** How many objects have changes that the handler has not received. */
  readonly backlog: number;
  /** Removes the handler. */
  remove(): void;
}

/**
 * A local copy of one kind that keeps itself up to date, with indexes, a lister and any number of handlers. Created
 * once per selection and shared (`Manager.informer`).
 */
export class Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly selection: InformerSelection;
  /** Reads the copy. */
  readonly lister: Lister<T>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #reflector: Reflector<T>;
  readonly #feeds = new Set<HandlerFeed<T>>();
  readonly #settled = new Waiters<boolean>();
  readonly #progressListeners = new Set<() => void>();
  readonly #replacedListeners = new Set<() => void>();
  readonly #resyncs = new Set<Resync>();
  #generation = 0;
  #hasEnded = false;
  #synced = false;

  constructor(options: InformerOptions<T>) {
    const { namespace, labelSelector, fieldSelector } = options;
    this.#options = options;
    this.resource = options.resource;
    this.selection = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    this.#store = this.#makeStore();
    this.lister = listerOf(this.#store);
    this.#reflector = this.#makeReflector();
  }

  /** Its name in logs and metrics. */
  get name(): string {
    return qualifiedName(this.resource);
  }

  /** True once a complete view has arrived. For the current state see `status`. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  get status(): InformerStatus {
    const { problem, live, lastContact, lastConfirmation } = this.#reflector;
    const { clock } = this.#options;
    const now = clock.monotonic();
    const lag = now - lastConfirmation;
    const age = {
      sinceContact: now - lastContact,
      lag,
      ...(Number.isFinite(lag) && { confirmedAt: clock.now() - lag }),
    };
    if (this.#synced && live) return { phase: 'live', ...age };
    return { phase: this.#synced ? 'stale' : 'starting', ...age, ...(problem && { problem }) };
  }

  /** The version up to which the copy is complete; empty before the first complete view. */
  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  /**
   * How often the API server's data was replaced. Versions from before a replacement cannot be compared with versions
   * after it.
   */
  get generation(): number {
    return this.#generation;
  }

  /** Adds an index, before or after the start. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf);
  }

  /**
   * Adds a handler. Before this returns, the handler receives the objects that are in the cache, as part of the initial
   * view.
   */
  addHandler(handler: EventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const { clock, log } = this.#options;
    const onError = (error: unknown) => log.error('event handler failed', { resource: this.name, error });
    const feed = new HandlerFeed(handler, onError, clock);
    for (const [key, object] of this.#store.entries()) feed.added(key, object, initialView);
    this.#feeds.add(feed);
    const stopResync = options.resyncPeriod ? this.#resync(clock, feed, options.resyncPeriod) : () => undefined;
    return {
      get backlog() {
        return feed.backlog;
      },
      remove: () => {
        stopResync();
        feed.close();
        this.#feeds.delete(feed);
      },
    };
  }

  /** Calls `listener` whenever `resourceVersion` changes. Returns a function that stops this. */
  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  /**
   * Calls `listener` when the API server's data was replaced (restored, lost or swapped), before any resulting change
   * is delivered. Returns a function that stops this.
   */
  onReplaced(listener: () => void): () => void {
    this.#replacedListeners.add(listener);
    return () => void this.#replacedListeners.delete(listener);
  }

  /** Lists everything again. Until that is done, `status` reports the problem `older`. */
  relist(reason: string): void {
    this.#reflector.relist(reason);
  }

  /** True if the copy contains everything up to `version`; `undefined` if versions of this kind cannot be ordered. */
  hasReached(version: string): boolean | undefined {
    const own = this.#store.resourceVersion;
    if (own === '') return false;
    const order = versionOrder(own, version);
    return order === undefined ? undefined : order >= 0;
  }

  /**
   * Keeps the copy up to date until `signal` is aborted, then resolves. May be run again later and continues where it
   * stopped.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#hasEnded = false;
    for (const resync of this.#resyncs) resync.start();
    await this.#reflector.run(signal);
    this.#hasEnded = true;
    for (const resync of this.#resyncs) resync.stop();
  }

  /** Resolves with true when the first complete view is in the cache, with false if `signal` is aborted first. */
  whenSynced(signal?: AbortSignal): Promise<boolean> {
    if (this.#synced) return Promise.resolve(true);
    if (signal?.aborted) return Promise.resolve(false);
    return this.#settled.wait(false, signal);
  }

  #makeStore(): Store<T> {
    const { log, transform, freeze, labelSelector, fieldSelector } = this.#options;
    // The function is called when objects arrive, and then there is a store.
    const structures = new StructureCache(() => this.#store.size);
    return new Store<T>({
      selective: labelSelector !== undefined || fieldSelector !== undefined,
      transform: (object) => {
        const stripped = withoutManagedFields(object);
        const kept = structures.share(transform ? transform(stripped) : stripped);
        return freeze ? deepFreeze(kept) : kept;
      },
      listener: {
        added: (key, object, initial) => {
          for (const feed of this.#feeds) feed.added(key, object, initial ? initialView : news);
        },
        updated: (key, before, after, initial) => {
          for (const feed of this.#feeds) feed.updated(key, before, after, initial ? initialView : news);
        },
        removed: (key, object, how) => {
          for (const feed of this.#feeds) feed.removed(key, object, how);
        },
        replaced: () => this.#onReplaced(),
      },
      onTransformError: (error) => log.error('transform failed', { resource: this.name, error }),
      onIndexError: (index, error) => log.error('index function failed', { resource: this.name, index, error }),
    });
  }

  #onReplaced(): void {
    const { log, metrics } = this.#options;
    this.#generation++;
    log.error(
      "the API server's data was replaced (restored from a backup, lost or swapped); the cache takes over the new data",
      {
        resource: this.name,
        held: this.#store.resourceVersion,
      },
    );
    if (metrics) reflectorMetrics(metrics).replaced.labels(this.name).inc();
    for (const listener of this.#replacedListeners) listener();
  }

  #makeReflector(): Reflector<T> {
    const { resource: _, ...rest } = this.#options;
    return new Reflector<T>({
      ...rest,
      name: this.name,
      select: this.selection satisfies Omit<SelectOptions, 'signal'>,
      sink: new InformerSink(this.#store, {
        synced: () => {
          this.#synced = true;
          this.#settled.releaseAll(true);
        },
        progress: () => {
          for (const listener of this.#progressListeners) listener();
        },
      }),
    });
  }

  #resync(clock: Clock, feed: HandlerFeed<T>, period: number): () => void {
    let timer: Timer | undefined;
    const again = () => {
      for (const [key, object] of this.#store.entries()) feed.updated(key, object, object, resyncOccasion);
      timer = clock.schedule(period, again, { background: true });
    };
    const resync: Resync = {
      start: () => {
        timer ??= clock.schedule(period, again, { background: true });
      },
      stop: () => {
        timer?.cancel();
        timer = undefined;
      },
    };
    this.#resyncs.add(resync);
    if (!this.#hasEnded) resync.start();
    return () => {
      this.#resyncs.delete(resync);
      resync.stop();
    };
  }
}

/** A periodic resync, paused while its informer does not run. */
interface Resync {
  start(): void;
  stop(): void;
}
