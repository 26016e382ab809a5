// SPDX-License-Identifier: Apache-2.0
import type { BodySummary, Cleared } from '../blob-store.ts';

/** A store's limits for parts. */
export interface PartLimits {
  /** Size of the first parts. @default 8 MiB, see part-sizes.ts */
  readonly firstPartBytes: number;
  /** More parts are refused; part sizes grow so that this does not happen. */
  readonly maxParts: number;
  readonly maxPartBytes: number;
  /** How many parts may be sent concurrently. 1 for stores that require parts in order. */
  readonly partsInFlight: number;
}

/** One part of a body. */
export interface Part {
  /** Counted from 1. */
  readonly number: number;
  readonly offset: number;
  /** Unchanged until the call with it has settled; for the last part, until `finish` or `abort` has. */
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** The store's answer about a stored object. */
export interface Stored {
  readonly etag: string | undefined;
  /**
   * Whether the store returned its own checksum of all bytes, and it equals ours. `unknown`: the store returned no
   * checksum, or one that does not cover all bytes.
   */
  readonly checksum: 'same' | 'other' | 'unknown';
}

/**
 * What a store must support for `put`. The writer (put.ts) does everything else: buffers, hashes, retries, cleaning up.
 *
 * Every call may be repeated after a failure with the same arguments. The driver keeps the state of an upload in its
 * `Upload`.
 */
export interface PartDriver<Upload> {
  readonly limits: PartLimits;
  /** Ends every unfinished upload to this key, as far as the credentials allow. */
  clear(key: string, signal: AbortSignal): Promise<Cleared>;
  /**
   * Stores an object that fits into one part, visible at once.
   * @param mark stored as metadata if possible, so that `stat` shows which put stored it
   */
  whole(key: string, bytes: Buffer, mark: string, signal: AbortSignal): Promise<Stored>;
  /** Opens an upload; nothing of it is visible until `finish`. */
  begin(key: string, mark: string, signal: AbortSignal): Promise<Upload>;
  /** Sends a part. Called concurrently if the limits allow it, else strictly in order. */
  part(upload: Upload, part: Part, signal: AbortSignal): Promise<void>;
  /**
   * Makes the object visible and replaces the previous one. Resolves only after an unambiguous answer. Repeated after
   * an unknown outcome, it also resolves if the existing object belongs to this upload.
   */
  finish(upload: Upload, summary: BodySummary, signal: AbortSignal): Promise<Stored>;
  /** Aborts an upload and removes its parts. Resolves if nothing is left. */
  abort(upload: Upload, signal: AbortSignal): Promise<void>;
}
