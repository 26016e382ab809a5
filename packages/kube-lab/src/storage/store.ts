// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { freezeJson, type JsonObject } from '../json/json.ts';
import { ChangeLog } from './change-log.ts';
import { SortedKeys } from './sorted-keys.ts';
import { StoreError } from './store-error.ts';
import { type Change, StoredObject } from './stored-object.ts';

export interface StoreOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Number of changes kept for watches and reads of older versions. @default 20000 */
  readonly historyLimit?: number;
}

interface Collection {
  readonly objects: Map<string, StoredObject>;
  readonly keys: SortedKeys;
  readonly listeners: Set<ChangeListener>;
}

/** Changes older than this, in milliseconds, are compacted at the next write. */
const historyAge = 600_000;

/** Called for each change, in order of version. Must not throw. */
export type ChangeListener = (change: Change) => void;

/**
 * All objects of the lab with one version counter, as in etcd behind a real API server: every write creates one
 * version; older versions can be read and watched until they are compacted.
 *
 * Guarantees: writes are atomic and synchronous; listeners are called for each change before the write returns, in
 * order of version, even if a listener writes. Returned objects are deeply frozen.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: ChangeLog;
  readonly #undelivered: Change[] = [];
  readonly #everything = new Set<ChangeListener>();
  #delivering = false;
  #revision = 1;

  constructor(options: StoreOptions) {
    this.#clock = options.clock;
    this.#log = new ChangeLog(options.historyLimit ?? 20_000, historyAge);
  }

  /** The version of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest version that can no longer be read or watched; see `compact`. */
  get compacted(): number {
    return this.#log.compacted;
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.objects.get(key);
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.objects.size ?? 0;
  }

  /** The objects whose key begins with `prefix`, in order of key. */
  list(collection: string, prefix = ''): readonly StoredObject[] {
    const found = this.#collections.get(collection);
    if (!found) return [];
    return found.keys.withPrefix(prefix).map((key) => found.objects.get(key) as StoredObject);
  }

  /** Like `list`, at an older version. Fails with `Compacted` or `FutureRevision`. */
  listAt(collection: string, revision: number, prefix = ''): readonly StoredObject[] {
    if (revision === this.#revision) return this.list(collection, prefix);
    const before = this.#undo(collection, revision);
    const kept = this.list(collection, prefix).filter((item) => !before.has(item.key));
    for (const [key, item] of before) if (item && key.startsWith(prefix)) kept.push(item);
    return kept.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Like `get`, at an older version. Fails with `Compacted` or `FutureRevision`. */
  getAt(collection: string, revision: number, key: string): StoredObject | undefined {
    if (revision === this.#revision) return this.get(collection, key);
    const before = this.#undo(collection, revision);
    return before.has(key) ? before.get(key) : this.get(collection, key);
  }

  /** Writes a new object; `metadata.resourceVersion` is set on it. Fails with `Exists`. */
  create(collection: string, key: string, object: JsonObject): StoredObject {
    const target = this.#collection(collection);
    if (target.objects.has(key)) throw new StoreError('Exists', `${collection} ${key} exists`);
    const stored = this.#next(key, object);
    target.objects.set(key, stored);
    target.keys.add(key);
    this.#commit(collection, 'ADDED', stored, undefined);
    return stored;
  }

  /** Replaces `expected`, which must still be the current version. Fails with `Changed`. */
  update(collection: string, expected: StoredObject, object: JsonObject): StoredObject {
    const target = this.#expect(collection, expected);
    const stored = this.#next(expected.key, object);
    target.objects.set(expected.key, stored);
    this.#commit(collection, 'MODIFIED', stored, expected);
    return stored;
  }

  /** Removes `expected`, which must still be the current version. Fails with `Changed`. */
  delete(collection: string, expected: StoredObject): StoredObject {
    const target = this.#expect(collection, expected);
    const { metadata } = expected.object;
    const last = { ...expected.object, metadata: { ...(metadata as JsonObject) } };
    const stored = this.#next(expected.key, last);
    target.objects.delete(expected.key);
    target.keys.delete(expected.key);
    this.#commit(collection, 'DELETED', stored, expected);
    return stored;
  }

  /**
   * Calls `listener` for every change after `revision`, past ones at once. Fails with `Compacted` if some are
   * compacted. Returns a function that stops it.
   */
  watch(collection: string, revision: number, listener: ChangeListener): () => void {
    if (revision < this.#log.compacted) throw new StoreError('Compacted', `version ${revision} is compacted`);
    const { listeners } = this.#collection(collection);
    // Changes that are committed but not yet delivered are delivered later: the replay stops before them.
    const queued = this.#undelivered[0]?.revision ?? Number.POSITIVE_INFINITY;
    for (const change of this.#log.after(revision)) {
      if (change.collection === collection && change.revision < queued) listener(change);
    }
    const own: ChangeListener = (change) => {
      if (change.revision > revision) listener(change);
    };
    listeners.add(own);
    return () => listeners.delete(own);
  }

  /** Calls `listener` for every change of any collection from now on. Returns a function that stops it. */
  watchAll(listener: ChangeListener): () => void {
    this.#everything.add(listener);
    return () => this.#everything.delete(listener);
  }

  /** The collections that contain or contained objects. */
  collections(): readonly string[] {
    return [...this.#collections.keys()];
  }

  /** Compacts the history up to `revision` (by default all), as etcd does. */
  compact(revision = this.#revision): void {
    this.#log.compact(Math.min(revision, this.#revision));
  }

  #collection(name: string): Collection {
    const present = this.#collections.get(name);
    if (present) return present;
    const made: Collection = { objects: new Map(), keys: new SortedKeys(), listeners: new Set() };
    this.#collections.set(name, made);
    return made;
  }

  #expect(collection: string, expected: StoredObject): Collection {
    const target = this.#collection(collection);
    if (target.objects.get(expected.key) !== expected) {
      throw new StoreError('Changed', `${collection} ${expected.key} is no longer at version ${expected.revision}`);
    }
    return target;
  }

  #next(key: string, object: JsonObject): StoredObject {
    const revision = ++this.#revision;
    const metadata = object['metadata'] as JsonObject;
    metadata['resourceVersion'] = String(revision);
    return new StoredObject(key, revision, freezeJson(object));
  }

  #commit(collection: string, type: Change['type'], current: StoredObject, previous: StoredObject | undefined): void {
    const change: Change = {
      revision: current.revision,
      collection,
      type,
      current,
      previous,
      time: this.#clock.monotonic(),
    };
    previous?.forgetText();
    this.#log.append(change);
    this.#undelivered.push(change);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#undelivered[0]; next; next = this.#undelivered[0]) {
        // Removed before it is delivered: if a listener starts a watch now, the watch gets this change as a past one.
        this.#undelivered.shift();
        this.#deliver(next);
      }
    } finally {
      this.#delivering = false;
    }
  }

  #deliver(change: Change): void {
    const { listeners } = this.#collection(change.collection);
    for (const listener of [...listeners]) {
      // A listener may have stopped another listener, which then gets nothing more.
      if (listeners.has(listener)) listener(change);
    }
    for (const listener of this.#everything) listener(change);
  }

  /** The value at `revision` of each key that changed after it. */
  #undo(collection: string, revision: number): Map<string, StoredObject | undefined> {
    if (revision < this.#log.compacted) throw new StoreError('Compacted', `version ${revision} is compacted`);
    if (revision > this.#revision) throw new StoreError('FutureRevision', `version ${revision} is not reached yet`);
    const before = new Map<string, StoredObject | undefined>();
    for (const change of this.#log.after(revision)) {
      const { key } = change.current;
      if (change.collection === collection && !before.has(key)) before.set(key, change.previous);
    }
    return before;
  }
}
