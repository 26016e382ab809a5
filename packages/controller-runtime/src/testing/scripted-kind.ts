// SPDX-License-Identifier: Apache-2.0
import {
  KubeError,
  type KubeObject,
  keyOf,
  keyString,
  type ListOptions,
  type ObjectKey,
  type ObjectList,
  type Reader,
  type WatchEvent,
  type WatchOptions,
} from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { EventStream } from './event-stream.ts';

interface Change<T> {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** One request to a scripted kind. */
export interface SeenRequest {
  readonly operation: 'get' | 'list' | 'watch';
  readonly at: number;
  readonly options: ListOptions & WatchOptions;
}

/** The counter from which all kinds of one API take their versions. */
export interface Versions {
  current: number;
}

/**
 * One kind of an API server in memory, with versions, history, compaction, paging, streaming lists and bookmarks, that
 * can be made to fail. Used by the tests of reflectors and informers.
 */
export class ScriptedKind<T extends KubeObject> implements Reader<T> {
  readonly requests: SeenRequest[] = [];
  /** False to refuse `sendInitialEvents`, like servers without streaming lists. */
  streaming = true;
  /** Whether the kind is installed. If not, every answer is 404. */
  installed = true;
  /** Answers with the state at this version: a server that lags behind. */
  lagAt: number | undefined;
  /** Time between bookmarks in milliseconds; 0 for none. */
  bookmarkPeriod = 60_000;
  readonly #clock: Clock;
  readonly #versions: Versions;
  readonly #history: Change<T>[] = [];
  readonly #watches = new Set<{
    readonly stream: EventStream<WatchEvent<T>>;
    readonly namespace: string | undefined;
    /**
     * Nothing up to this version is sent, not even bookmarks: real servers do this when their version has decreased.
     */
    readonly from: number;
  }>();
  readonly #failures: { readonly operation: string; readonly error: () => unknown; times: number }[] = [];
  #compacted = 0;
  #uids = 0;

  constructor(clock: Clock, versions: Versions = { current: 1 }) {
    this.#clock = clock;
    this.#versions = versions;
  }

  /** Creates or changes an object. A new name gets a new UID unless the object has one. */
  put(object: T): T {
    const key = keyString(keyOf(object));
    const held = this.#state().get(key);
    const version = ++this.#versions.current;
    const uid = object.metadata?.uid ?? held?.metadata?.uid ?? `uid-${++this.#uids}`;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
    this.#record({ version, type: held ? 'MODIFIED' : 'ADDED', object: stored });
    return stored;
  }

  /** Deletes an object. */
  remove(key: ObjectKey | string): T | undefined {
    const held = this.#state().get(typeof key === 'string' ? key : keyString(key));
    if (!held) return undefined;
    const version = ++this.#versions.current;
    const last = { ...held, metadata: { ...held.metadata, resourceVersion: String(version) } };
    this.#record({ version, type: 'DELETED', object: last });
    return last;
  }

  /** What exists now, by key. */
  objects(): ReadonlyMap<string, T> {
    return this.#state();
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Drops the history: older watches and page tokens are `Expired`. */
  compact(): void {
    this.#compacted = this.#versions.current;
  }

  /**
   * Restores the state at `version`, like a backup. The version counter goes back too, or far ahead with all earlier
   * history dropped (`--bump-revision --mark-compacted`).
   */
  restore(version: number, { bump }: { readonly bump: boolean }): void {
    const kept = this.#history.filter((change) => change.version <= version);
    this.#history.splice(0, this.#history.length, ...kept);
    if (bump) {
      this.#versions.current += 1_000_000;
      this.compact();
    } else {
      this.#versions.current = version;
      this.#compacted = Math.min(this.#compacted, version);
    }
  }

  /** The version with which a request would be answered. */
  get version(): number {
    return this.#versions.current;
  }

  /** Other kinds are written to: the version increases without a change here. */
  passVersions(count: number): void {
    this.#versions.current += count;
  }

  /** The next `times` requests of this kind fail. */
  fail(operation: SeenRequest['operation'], error: () => unknown, times = 1): void {
    this.#failures.push({ operation, error, times });
  }

  /** Does something to every open watch: `stream.end()`, `stream.fail(error)`, `stream.stalled = true`. */
  disturb(action: (stream: EventStream<WatchEvent<T>>) => void): void {
    for (const { stream } of this.#watches) action(stream);
  }

  /** Sends a bookmark on every open watch. */
  bookmark(): void {
    for (const { stream, from } of this.#watches) this.#mark(stream, from);
  }

  async get(key: ObjectKey): Promise<T> {
    this.#admit('get', {});
    const found = this.#state().get(keyString(key));
    if (!found) throw new KubeError('NotFound', `${keyString(key)} not found`, { httpStatus: 404 });
    return clone(found);
  }

  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    await Promise.resolve();
    this.#admit('list', options);
    const [at, offset] = options.continue ? decode(options.continue) : [this.#now(), 0];
    if (options.continue && at < this.#compacted)
      throw new KubeError('Expired', 'the page token is too old', { httpStatus: 410 });
    const all = [...this.#state(at).values()].filter(inNamespace(options.namespace));
    const items = all.slice(offset, options.limit ? offset + options.limit : undefined).map(clone);
    const more = offset + items.length < all.length;
    const token = more ? { continue: `${at}:${offset + items.length}` } : {};
    return { metadata: { resourceVersion: String(at), ...token }, items };
  }

  async *pages(options: ListOptions = {}): AsyncGenerator<ObjectList<T>> {
    let token: string | undefined;
    do {
      const page = await this.list({ limit: 500, ...options, ...(token ? { continue: token } : {}) });
      yield page;
      token = page.metadata.continue;
    } while (token);
  }

  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    await Promise.resolve();
    this.#admit('watch', options);
    if (options.sendInitialEvents && !this.streaming) {
      throw new KubeError('Invalid', 'sendInitialEvents is forbidden', { httpStatus: 422 });
    }
    const from = options.resourceVersion ? Number(options.resourceVersion) : this.#now();
    if (options.resourceVersion && from < this.#compacted)
      throw new KubeError('Expired', 'too old resource version', { httpStatus: 410 });
    const stream = new EventStream<WatchEvent<T>>(options.signal);
    this.#begin(stream, from, options);
    yield* stream;
  }

  #begin(stream: EventStream<WatchEvent<T>>, from: number, options: WatchOptions): void {
    if (options.sendInitialEvents) {
      const present = [...this.#state(from).values()].filter(inNamespace(options.namespace));
      for (const object of present) stream.push({ type: 'ADDED', object: clone(object) });
      stream.push({ type: 'BOOKMARK', resourceVersion: String(from), initialEventsEnd: true });
    }
    for (const { version, type, object } of this.#history) {
      if (version > from && inNamespace<T>(options.namespace)(object)) stream.push({ type, object: clone(object) });
    }
    const entry = { stream, namespace: options.namespace, from };
    this.#watches.add(entry);
    const timers = this.#timers(stream, from, options);
    stream.onClose = () => {
      this.#watches.delete(entry);
      timers();
    };
  }

  #mark(stream: EventStream<WatchEvent<T>>, from: number): void {
    if (this.#versions.current < from) return;
    stream.push({ type: 'BOOKMARK', resourceVersion: String(this.#versions.current), initialEventsEnd: false });
  }

  #timers(stream: EventStream<WatchEvent<T>>, from: number, options: WatchOptions): () => void {
    const end = this.#clock.schedule((options.timeoutSeconds ?? 3600) * 1000, () => stream.end());
    if (!options.allowWatchBookmarks || this.bookmarkPeriod === 0) return () => end.cancel();
    const mark = () => {
      this.#mark(stream, from);
      bookmark = this.#clock.schedule(this.bookmarkPeriod, mark);
    };
    let bookmark = this.#clock.schedule(this.bookmarkPeriod, mark);
    return () => {
      end.cancel();
      bookmark.cancel();
    };
  }

  #admit(operation: SeenRequest['operation'], options: ListOptions & WatchOptions): void {
    this.requests.push({ operation, at: this.#clock.monotonic(), options });
    const failure = this.#failures.find((candidate) => candidate.operation === operation && candidate.times > 0);
    if (failure) {
      failure.times--;
      throw failure.error();
    }
    if (!this.installed) throw new KubeError('NotFound', 'the server has no such resource', { httpStatus: 404 });
  }

  #now(): number {
    return this.lagAt ?? this.#versions.current;
  }

  #record(change: Change<T>): void {
    this.#history.push(change);
    for (const { stream, namespace, from } of this.#watches) {
      if (change.version > from && inNamespace<T>(namespace)(change.object))
        stream.push({ type: change.type, object: clone(change.object) });
    }
  }

  #state(at = Number.POSITIVE_INFINITY): Map<string, T> {
    const state = new Map<string, T>();
    for (const { version, type, object } of this.#history) {
      if (version > at) break;
      if (type === 'DELETED') state.delete(keyString(keyOf(object)));
      else state.set(keyString(keyOf(object)), object);
    }
    return state;
  }
}

function inNamespace<T extends KubeObject>(namespace: string | undefined): (object: T) => boolean {
  return (object) => namespace === undefined || object.metadata?.namespace === namespace;
}

function clone<T>(object: T): T {
  return JSON.parse(JSON.stringify(object)) as T;
}

function decode(token: string): [at: number, offset: number] {
  const [at, offset] = token.split(':');
  return [Number(at), Number(offset)];
}
