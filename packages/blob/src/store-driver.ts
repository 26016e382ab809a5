// SPDX-License-Identifier: Apache-2.0
import type { BlobError } from './blob-error.ts';
import type { BlobInfo, LentRead } from './blob-store.ts';
import type { PartDriver } from './write/part-driver.ts';

export interface ReadRequest {
  readonly key: string;
  readonly offset: number;
  /** Up to the end if undefined; never 0. */
  readonly length: number | undefined;
  /** Only if the object still has this one; else `NotFound`. */
  readonly etag: string | undefined;
}

export interface ReadResponse {
  /** How many bytes the body will have, from what the store says and not from counting them. */
  readonly bytes: number;
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

/**
 * A kind of store, each call one request or few. Keys are checked already. No call retries by itself and none waits for longer than its
 * signal lets it; that, and everything a caller of `BlobStore` relies on, is added by store.ts, the same for all.
 */
export interface StoreDriver<Upload> extends PartDriver<Upload> {
  readonly location: string;
  /** A range that begins beyond the end gives an empty body. */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse>;
  stat(key: string, signal: AbortSignal): Promise<BlobInfo>;
  /** Undefined if it cannot be done with these credentials. */
  lend(request: LendRequest, signal: AbortSignal): Promise<LentRead | undefined>;
  /** @param from `next` of the page before; undefined for the first. */
  page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage>;
  /** Resolves if there is no such object. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  sweep(prefix: string, startedBefore: number, signal: AbortSignal): Promise<number>;
  close(): void;
  /** Whatever a call threw, as an error that holds no secret. */
  errorOf(thrown: unknown, what: string): BlobError;
}
