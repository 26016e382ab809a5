// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectKey, ObjectList } from '../object.ts';
import type { Resource } from '../resource.ts';
import type { WatchEvent } from './watch-event.ts';

/** The options of every call. */
export interface CallOptions {
  /** Ends the call early. */
  readonly signal?: AbortSignal;
  /**
   * Called right before a request is sent, after any wait for a free connection, and again before every retry. If it
   * throws, nothing is sent and the call fails with code `Aborted`.
   * @default none
   */
  readonly fence?: () => void;
}

/** The selection of a list or watch. Without `namespace`, all namespaces. */
export interface SelectOptions extends CallOptions {
  /**
   * Called whenever bytes of the answer arrive, also before an object is complete: this tells a slow connection from a
   * dead one.
   * @default none
   */
  readonly onBytes?: () => void;
  readonly namespace?: string;
  /** `app=etcd,tier in (a,b)` */
  readonly labelSelector?: string;
  /** `metadata.name=x` */
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions {
  /** Page size; without it the server sends everything in one answer. */
  readonly limit?: number;
  readonly continue?: string;
  /** `''` = most recent (consistent), `'0'` = any cached version, else see `resourceVersionMatch`. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
}

export interface WatchOptions extends SelectOptions {
  /** Events after this version are sent. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  /** Asks for bookmarks, about one a minute. @default true */
  readonly allowWatchBookmarks?: boolean;
  /**
   * Streaming list: the existing objects are sent first, as ADDED, followed by a bookmark with the annotation
   * `k8s.io/initial-events-end`.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds?: number;
  /**
   * Ends the watch with an error of code `WatchIdle` if nothing arrives for this many milliseconds, as on a half-open
   * connection.
   * @default none
   */
  readonly idleTimeout?: number;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** The owner of the applied fields. Required by the server. */
  readonly fieldManager: string;
  /** Takes over fields of other managers. @default false */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** A patch with its content type. */
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
  /** Fails with code `NotFound` if it does not exist. */
  get(key: ObjectKey, options?: CallOptions & { readonly resourceVersion?: string }): Promise<T>;
  /** One page if `limit` is given, otherwise everything. */
  list(options?: ListOptions): Promise<ObjectList<T>>;
  /** All pages of a consistent list, `limit` items each (default 500). */
  pages(options?: ListOptions): AsyncIterable<ObjectList<T>>;
  /**
   * Watch events. Ends normally when the server ends the watch; throws a `KubeError` when the request is refused, an
   * ERROR event arrives, a line is invalid, or the connection is lost.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** Writes objects of one kind. Arguments are never modified. */
export interface Writer<T extends KubeObject> {
  create(object: T, options?: WriteOptions): Promise<T>;
  /** PUT. The object's own resourceVersion, if any, is a precondition. */
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions & { readonly force?: boolean }): Promise<T>;
  /** Server-side apply: the object contains exactly the fields that the manager owns. */
  apply(object: T, options: ApplyOptions): Promise<T>;
  /** Resolves with the deleted object, or with the Status that the server sent. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<KubeObject>;
  deleteCollection(select: SelectOptions, options?: DeleteOptions): Promise<void>;
}

/** A subresource such as `status`, `scale` or `eviction` of one kind. `S` is its type. */
export interface SubresourceClient<S> {
  get(key: ObjectKey, options?: CallOptions): Promise<S>;
  create(key: ObjectKey, body: unknown, options?: WriteOptions): Promise<S>;
  replace(key: ObjectKey, body: S, options?: WriteOptions): Promise<S>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions & { readonly force?: boolean }): Promise<S>;
  apply(key: ObjectKey, body: unknown, options: ApplyOptions): Promise<S>;
}

/** All operations on one kind. A function should ask for the smallest interface that it needs, such as `Reader`. */
export interface ResourceClient<T extends KubeObject> extends Reader<T>, Writer<T> {
  readonly resource: Resource<T>;
  readonly status: SubresourceClient<T>;
  subresource<S = unknown>(name: string): SubresourceClient<S>;
}

/** The client for an API server. */
export interface Client {
  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T>;
  /** True if the client retries requests (see `ClientOptions.retry`). */
  readonly repeats?: boolean;
}

/** A client with `retry`: requests that are safe to repeat are retried after temporary failures. */
export interface RetryingClient extends Client {
  readonly repeats: true;
}
