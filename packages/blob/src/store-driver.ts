// SPDX-License-Identifier: Apache-2.0
import type { BlobError } from './blob-error.ts';
import type { BlobInfo, PresignedRead } from './blob-store.ts';
import type { AnsweredRange } from './read/content-range.ts';
import type { PartDriver } from './write/part-driver.ts';

export interface ReadRequest {
  readonly key: string;
  readonly offset: number;
  /** How many bytes to read, never 0. Undefined: to the end of the object. */
  readonly length: number | undefined;
  /** Reads only if the object still has this ETag; otherwise fails with `NotFound`. */
  readonly etag: string | undefined;
}

/** The facts about an object, and its mark, if the store has metadata. */
export type ObjectFacts = BlobInfo;

export interface ReadResponse {
  /**
   * The range that the store's headers report. Undefined if the requested range is beyond the end: then there is no
   * body.
   */
  readonly range: AnsweredRange | undefined;
  readonly etag: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface PresignRequest {
  readonly key: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly now: number;
  /** Validity from then. */
  readonly seconds: number;
}

export interface ListPage {
  readonly items: readonly BlobInfo[];
  /** The start of the next page; undefined after the last one. */
  readonly next: string | undefined;
}

/** Which unfinished uploads to end: those to the caller's own keys with the prefix that began before this time. */
export interface SweepRequest {
  readonly prefix: string;
  readonly startedBefore: number;
  readonly isOwn: (key: string) => boolean;
}

/**
 * A kind of store; each call makes one request or a few. Keys have been validated before. Drivers do not retry and do
 * not wait longer than their signal allows; store.ts adds everything else that callers of `BlobStore` rely on.
 */
export interface StoreDriver<Upload> extends PartDriver<Upload> {
  readonly location: string;
  readonly server: string;
  /** False if lists have the store's own order. @default true */
  readonly listsInOrder?: boolean;
  /** The same store without locks. Not closed separately. @default none: the store has no locks */
  readonly unlocked?: StoreDriver<Upload> | undefined;
  /** Why this kind of store does not support this key; undefined if it does. */
  keyProblem(key: string): string | undefined;
  /** May return other bytes than requested, as long as `range` says so. */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse>;
  stat(key: string, signal: AbortSignal): Promise<ObjectFacts>;
  /**
   * Throws unless the store confirms the requested encryption and lock of a new object.
   * @default none: the answers to writes confirm both
   */
  confirm?(key: string, signal: AbortSignal): Promise<void>;
  /** Undefined if these credentials do not support it. */
  presign(request: PresignRequest, signal: AbortSignal): Promise<PresignedRead | undefined>;
  /** @param from `next` of the previous page; undefined for the first. */
  page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage>;
  /** Resolves if there is no such object. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  sweep(request: SweepRequest, signal: AbortSignal): Promise<number>;
  close(): void;
  /** Converts any error to one without secrets. */
  errorOf(thrown: unknown, what: string): BlobError;
}
