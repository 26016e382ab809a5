// SPDX-License-Identifier: Apache-2.0
import { jsonEqual, type KubeObject, keyOf, keyString } from '@operator-parts/kube';
import type { ReflectorSink } from '../reflector/reflector-sink.ts';
import { versionOrder } from '../reflector/resource-version.ts';
import { Indexer, type IndexFunction } from './indexer.ts';
import { type Removal, removal } from './removal.ts';

/** Receives every change of a store: after the store has made the change, and in the order of the changes. */
export interface StoreListener<T extends KubeObject> {
  /** @param initial the object is part of a complete view, not a change */
  added(key: string, object: T, initial: boolean): void;
  updated(key: string, before: T, after: T, initial: boolean): void;
  removed(key: string, object: T, how: Removal): void;
  /** A complete view of replaced data is about to be applied; the next changes result from it. */
  replaced?(): void;
}

export interface StoreOptions<T extends KubeObject> {
  readonly listener: StoreListener<T>;
  /** True if the view contains only a selection of the objects. @default false */
  readonly selective?: boolean;
  /** What is kept of an object. @default everything except `metadata.managedFields` */
  readonly transform?: (object: T) => T;
  /** Called when an index function threw: the object is not in that index. */
  readonly onIndexError: (index: string, error: unknown, object: T) => void;
  /**
   * Called when `transform` threw: the object is kept unchanged.
   * @default ignored
   */
  readonly onTransformError?: (error: unknown, object: T) => void;
}

/** The index by namespace, which every store has. */
export const namespaceIndex = 'namespace';

/**
 * The local copy of one kind: written by one reflector, read by many. Its objects are shared: NEVER MODIFY THEM. (A
 * cache created with `freeze` throws on the attempt; tests use it.)
 *
 * Guarantees:
 * - A change never makes the copy older. An object is ignored if a newer one is stored, or if it is not stored and is
 *   older than the last complete view: then it was deleted before that view.
 * - A complete view is applied as a whole, when it is complete. Where it differs from the copy, the view counts.
 * - An object with the same name but a new UID is a removal and an addition.
 * - A deletion that was missed is a removal with `finalStateUnknown`.
 */
export class Store<T extends KubeObject> implements ReflectorSink<T> {
  readonly #options: StoreOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #indexers = new Map<string, Indexer<T>>();
  /**
   * While a complete view arrives, except the first one: its objects so far, and the objects that were deleted since it
   * began.
   */
  #incoming: Map<string, T> | undefined;
  readonly #deleted = new Map<string, T>();
  #doubted = false;
  /** Everything up to this version is in the store; empty before the first complete view. */
  #version = '';

  constructor(options: StoreOptions<T>) {
    this.#options = options;
    this.addIndex(namespaceIndex, (object) => [object.metadata?.namespace ?? '']);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Everything up to this version is in the store; empty before the first complete view. */
  get resourceVersion(): string {
    return this.#version;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  indexer(name: string): Indexer<T> | undefined {
    return this.#indexers.get(name);
  }

  /** Adds an index over all present and future objects. A name can be used once. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexers.has(name)) throw new Error(`an index named ${name} already exists`);
    const indexer = new Indexer(valuesOf, (error, object) => this.#options.onIndexError(name, error, object));
    for (const [key, object] of this.#objects) indexer.update(key, undefined, object);
    this.#indexers.set(name, indexer);
  }

  init(doubted = false): void {
    // The objects of the first view are reported as they arrive: there are no earlier objects that could be wrong.
    this.#incoming = this.#version === '' && this.#objects.size === 0 ? undefined : new Map();
    this.#deleted.clear();
    this.#doubted = doubted;
  }

  initApply(object: T): void {
    if (this.#incoming === undefined) {
      this.#apply(object, true);
      return;
    }
    const key = keyString(keyOf(object));
    const held = this.#objects.get(key);
    // An unchanged object is not stored twice.
    this.#incoming.set(key, held && !this.#doubted && isSame(object, held) ? held : object);
  }

  initDone(resourceVersion: string, replaced = false): void {
    const incoming = this.#incoming;
    this.#incoming = undefined;
    if (incoming) this.#takeView(incoming, replaced || this.#isOfAnotherWorld(incoming));
    this.#version = resourceVersion;
  }

  apply(object: T): void {
    this.#apply(object, false);
  }

  delete(object: T): void {
    const key = keyString(keyOf(object));
    if (this.#incoming !== undefined) {
      this.#incoming.delete(key);
      this.#deleted.set(key, object);
      return;
    }
    const held = this.#objects.get(key);
    if (held === undefined || held.metadata?.uid !== object.metadata?.uid || isOlder(object, held)) return;
    this.#remove(key, removal(false, this.#selective), this.#keep(object));
  }

  progress(resourceVersion: string): void {
    this.#version = resourceVersion;
  }

  get #selective(): boolean {
    return this.#options.selective ?? false;
  }

  /**
   * True if a view shows that the data was replaced. Otherwise no object in a newer view is older than the stored one,
   * and no object reappears without a new version.
   */
  #isOfAnotherWorld(view: ReadonlyMap<string, T>): boolean {
    for (const [key, object] of view) {
      const held = this.#objects.get(key);
      if (held === object) continue;
      if (held ? isOlder(object, held) : this.#version !== '' && isNotNewerThan(object, this.#version)) return true;
    }
    return false;
  }

  #takeView(view: ReadonlyMap<string, T>, replaced: boolean): void {
    if (replaced) this.#options.listener.replaced?.();
    for (const [key, object] of view) this.#takeViewed(key, object, replaced);
    const how = removal(true, this.#selective || replaced);
    for (const [key, held] of this.#objects) {
      if (view.has(key)) continue;
      const final = this.#deleted.get(key);
      if (final && final.metadata?.uid === held.metadata?.uid) {
        this.#remove(key, removal(false, this.#selective), this.#keep(final));
      } else this.#remove(key, how);
    }
    this.#deleted.clear();
  }

  #takeViewed(key: string, object: T, replaced: boolean): void {
    const held = this.#objects.get(key);
    if (held === object) return;
    if (held === undefined) {
      this.#put(key, undefined, object, true);
    } else if (held.metadata?.uid !== object.metadata?.uid) {
      this.#remove(key, removal(true, this.#selective || replaced));
      this.#put(key, undefined, object, true);
    } else if (!isSame(object, held) || (replaced && !jsonEqual(this.#keep(object), held))) {
      this.#put(key, held, object, true);
    }
  }

  #apply(incoming: T, initial: boolean): void {
    const key = keyString(keyOf(incoming));
    const held = this.#objects.get(key);
    if (held === undefined) {
      // An object that is not stored and not newer than the last view was deleted before that view was complete.
      if (this.#version !== '' && isNotNewerThan(incoming, this.#version)) return;
      this.#put(key, undefined, incoming, initial);
      return;
    }
    if (isOlder(incoming, held) || isSame(incoming, held)) return;
    if (held.metadata?.uid === incoming.metadata?.uid) {
      this.#put(key, held, incoming, initial);
      return;
    }
    this.#remove(key, removal(true, this.#selective));
    this.#put(key, undefined, incoming, initial);
  }

  #put(key: string, before: T | undefined, incoming: T, initial: boolean): void {
    const after = this.#keep(incoming);
    this.#objects.set(key, after);
    for (const indexer of this.#indexers.values()) indexer.update(key, before, after);
    if (before === undefined) this.#options.listener.added(key, after, initial);
    else this.#options.listener.updated(key, before, after, initial);
  }

  #remove(key: string, how: Removal, final?: T): void {
    const held = this.#objects.get(key);
    if (held === undefined) return;
    this.#objects.delete(key);
    for (const indexer of this.#indexers.values()) indexer.update(key, held, undefined);
    this.#options.listener.removed(key, final ?? held, how);
  }

  #keep(object: T): T {
    try {
      return this.#options.transform ? this.#options.transform(object) : object;
    } catch (error) {
      this.#options.onTransformError?.(error, object);
      return object;
    }
  }
}

function order(one: KubeObject, other: KubeObject): number | undefined {
  return versionOrder(one.metadata?.resourceVersion ?? '', other.metadata?.resourceVersion ?? '');
}

function isOlder(one: KubeObject, other: KubeObject): boolean {
  const result = order(one, other);
  return result !== undefined && result < 0;
}

/**
 * True for the same version of the same object in the same form: a conversion may change the form without a new
 * version.
 */
function isSame(one: KubeObject, other: KubeObject): boolean {
  return order(one, other) === 0 && one.apiVersion === other.apiVersion && one.metadata?.uid === other.metadata?.uid;
}

function isNotNewerThan(object: KubeObject, version: string): boolean {
  const result = versionOrder(object.metadata?.resourceVersion ?? '', version);
  return result !== undefined && result <= 0;
}
