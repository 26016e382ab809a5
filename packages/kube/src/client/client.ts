// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectKey, ObjectList } from '../object.ts';
import type { Resource } from '../resource.ts';
import type { WatchEvent } from './watch-event.ts';

/** Every call takes these. */
export interface CallOptions {
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  /**
   * Asked when a request of the call leaves, after any wait in line and before every repetition. If it throws, nothing is sent and
   * the call fails with code `Aborted`. @default none
   */
  readonly fence?: () => void;
}

/** What a list or watch selects. Without `namespace` all namespaces are meant. */
export interface SelectOptions extends CallOptions {
  /** Told whenever bytes of the answer arrive, whole objects or not: a slow link is not a dead one. @default nobody */
  readonly onBytes?: () => void;
  readonly namespace?: string;
  /** `app=etcd,tier in (a,b)` */
  readonly labelSelector?: string;
  /** `metadata.name=x` */
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions {
  /** Items a page; without it the server sends everything in one answer. */
  readonly limit?: number;
  readonly continue?: string;
  /** `''` = most recent (consistent), `'0'` = whatever the server has at hand, else see `resourceVersionMatch`. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
}

export interface WatchOptions extends SelectOptions {
  /** Events after this version are sent. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  /** Asks for bookmarks, about one a minute. @default true */
  readonly allowWatchBookmarks?: boolean;
  /** Streaming list: the present objects come first, as ADDED, closed by a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds?: number;
  /**
   * Ends the watch with an error of code `WatchIdle` when nothing has arrived for this long: a half-open connection.
   * In milliseconds. @default none
   */
  readonly idleTimeout?: number;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** Who owns the applied fields. Required by the server. */
  readonly fieldManager: string;
  /** Takes over fields that others own. @default false */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** A patch and its content type in one value, so that the two cannot disagree. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly patch: unknown }
  | { readonly type: 'strategic'; readonly patch: unknown };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Reads objects of one kind. */
export interface Reader<T extends KubeObject> {
  /** Fails with code `NotFound` if there is none. */
  get(key: ObjectKey, options?: CallOptions & { readonly resourceVersion?: string }): Promise<T>;
  /** One page if `limit` is given, everything otherwise. */
  list(options?: ListOptions): Promise<ObjectList<T>>;
  /** All pages of a consistent list, `limit` items each (default 500). */
  pages(options?: ListOptions): AsyncIterable<ObjectList<T>>;
  /**
   * Changes as they happen. Ends quietly when the server ends the watch; throws a `KubeError` when the request is refused, an
   * ERROR event arrives, a frame cannot be parsed, or the connection is lost.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** Writes objects of one kind. Arguments are never modified. */
export interface Writer<T extends KubeObject> {
  create(object: T, options?: WriteOptions): Promise<T>;
  /** PUT. Carries the object's own resourceVersion as precondition if it has one. */
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions & { readonly force?: boolean }): Promise<T>;
  /** Server-side apply: the object holds exactly the fields the manager owns. */
  apply(object: T, options: ApplyOptions): Promise<T>;
  /** Resolves with the object as it was, or with the Status the server sent. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<KubeObject>;
  deleteCollection(select: SelectOptions, options?: DeleteOptions): Promise<void>;
}

/** A subresource such as `status`, `scale` or `eviction`, of objects of one kind. `S` is what it reads and writes. */
export interface SubresourceClient<S> {
  get(key: ObjectKey, options?: CallOptions): Promise<S>;
  create(key: ObjectKey, body: unknown, options?: WriteOptions): Promise<S>;
  replace(key: ObjectKey, body: S, options?: WriteOptions): Promise<S>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions & { readonly force?: boolean }): Promise<S>;
  apply(key: ObjectKey, body: unknown, options: ApplyOptions): Promise<S>;
}

/** Everything one can do with one kind. Functions should ask for the smallest part they need. */
export interface ResourceClient<T extends KubeObject> extends Reader<T>, Writer<T> {
  readonly resource: Resource<T>;
  readonly status: SubresourceClient<T>;
  subresource<S = unknown>(name: string): SubresourceClient<S>;
}

/** The door to an API server. */
export interface Client {
  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T>;
  /** True if it sends requests again by itself (see `ClientOptions.retry`). */
  readonly repeats?: boolean;
}

/** A client that was made with `retry`: what may be sent twice without harm is sent again when it failed for a moment. */
export interface RetryingClient extends Client {
  readonly repeats: true;
}
