// SPDX-License-Identifier: Apache-2.0
import type { BlobError } from './blob-error.ts';
import type { BlobInfo, LentRead } from './blob-store.ts';
import type { AnsweredRange } from './read/content-range.ts';
import type { PartDriver } from './write/part-driver.ts';

export interface ReadRequest {
  readonly key: string;
  readonly offset: number;
  /** Up to the end if undefined; never 0. */
  readonly length: number | undefined;
  /** Only if the object still has this one; else `NotFound`. */
  readonly etag: string | undefined;
}

/** What is known of an object, and the mark that it was stored with, if the store keeps it. */
export type ObjectFacts = BlobInfo;

export interface ReadResponse {
  /** From what the store says, not from counting; undefined: beyond the end, with no body. */
  readonly range: AnsweredRange | undefined;
  readonly etag: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface LendRequest {
  readonly key: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly now: number;
  /** How long from then. */
  readonly seconds: number;
}

export interface ListPage {
  readonly items: readonly BlobInfo[];
  /** Where the next page begins; undefined if this was the last. */
  readonly next: string | undefined;
}

/** Which unfinished uploads to end: of keys that start with the prefix and are the caller's, those that began before. */
export interface SweepRequest {
  readonly prefix: string;
  readonly startedBefore: number;
  readonly isOwn: (key: string) => boolean;
}

/**
 * A kind of store, each call one request or few. Keys are checked already. No call retries by itself and none waits for longer than its
 * signal lets it; that, and everything a caller of `BlobStore` relies on, is added by store.ts, the same for all.
 */
export interface StoreDriver<Upload> extends PartDriver<Upload> {
  readonly location: string;
  readonly server: string;
  /** False if lists come in an order of the store's own. @default true */
  readonly listsInOrder?: boolean;
  /** The same store, which locks nothing that it stores. Not closed by itself. @default it locks nothing anyway */
  readonly unlocked?: StoreDriver<Upload> | undefined;
  /** Why a store of this kind cannot take this key; undefined if it can. */
  keyProblem(key: string): string | undefined;
  /** May give other bytes than were asked for, as long as it says so in `range`. */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse>;
  stat(key: string, signal: AbortSignal): Promise<ObjectFacts>;
  /**
   * Throws unless the store confirms that a new object is stored with the requested encryption and lock. @default the responses to writes
   * show it
   */
  confirm?(key: string, signal: AbortSignal): Promise<void>;
  /** Undefined if it cannot be done with these credentials. */
  lend(request: LendRequest, signal: AbortSignal): Promise<LentRead | undefined>;
  /** @param from `next` of the page before; undefined for the first. */
  page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage>;
  /** Resolves if there is no such object. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  sweep(request: SweepRequest, signal: AbortSignal): Promise<number>;
  close(): void;
  /** Whatever a call threw, as an error that holds no secret. */
  errorOf(thrown: unknown, what: string): BlobError;
}
