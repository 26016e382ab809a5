// SPDX-License-Identifier: Apache-2.0
import type { BodySummary, Cleared } from '../blob-store.ts';

/** What a store demands of parts. */
export interface PartLimits {
  /** Size of the first parts. @default 8 MiB, see part-sizes.ts */
  readonly firstPartBytes: number;
  /** More parts than these are refused; parts grow so that it does not come to that. */
  readonly maxParts: number;
  readonly maxPartBytes: number;
  /** How many parts may be under way at once. 1 for stores that take them in order only. */
  readonly partsInFlight: number;
}

/** One part of a body. */
export interface Part {
  /** Counted from 1. */
  readonly number: number;
  readonly offset: number;
  /** Stays as it is until the call that it was given to has settled; of the last part, until `finish` or `abort` has. */
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** What the store says of an object it has stored. */
export interface Stored {
  readonly etag: string | undefined;
  /**
   * Whether the store has told its own checksum of all of the bytes, and it is that of what was sent. `unknown`: it has told none, or not
   * of all of them.
   */
  readonly checksum: 'same' | 'other' | 'unknown';
}

/**
 * What a store has to be able to do for `put`. The writer (put.ts) does everything else: buffers, hashes, retries, cleaning up.
 *
 * Every call may be made again after it failed: with the same arguments, as often as the writer sees fit. What an upload has gained
 * so far, the driver keeps in its `Upload`.
 */
export interface PartDriver<Upload> {
  readonly limits: PartLimits;
  /** Ends every unfinished upload to this key, as far as the store lets whoever asks. */
  clear(key: string, signal: AbortSignal): Promise<Cleared>;
  /**
   * Stores an object that fits into one part, visible at once.
   * @param mark kept with the object where a store can, so that `stat` tells whose it is
   */
  whole(key: string, bytes: Buffer, mark: string, signal: AbortSignal): Promise<Stored>;
  /** Opens an upload; nothing of it is visible until `finish`. */
  begin(key: string, mark: string, signal: AbortSignal): Promise<Upload>;
  /** Sends a part. Called for several at once if the limits allow it, else strictly in order. */
  part(upload: Upload, part: Part, signal: AbortSignal): Promise<void>;
  /**
   * Makes the object visible, in place of what was there. Resolves only after an answer that can be nothing else. Made again after an unknown outcome, it resolves if the object that is
   * there is the one of this upload.
   */
  finish(upload: Upload, summary: BodySummary, signal: AbortSignal): Promise<Stored>;
  /** Takes an upload back; no part of it stays. Resolves if there is nothing left to take back. */
  abort(upload: Upload, signal: AbortSignal): Promise<void>;
}
