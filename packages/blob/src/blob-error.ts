// SPDX-License-Identifier: Apache-2.0

/** Why an object store failed. */
export type BlobErrorCode =
  /** There is no such object. */
  | 'NotFound'
  /** There is no such bucket, container or directory. */
  | 'BucketMissing'
  /** The store refuses these credentials, or requires some. */
  | 'Denied'
  /** The object is locked: it cannot be deleted or replaced yet. */
  | 'Locked'
  /** The credentials were valid, but have expired. */
  | 'Expired'
  /** Too many requests; retry later. */
  | 'Throttled'
  /** No answer, a broken connection, or an internal error of the store. */
  | 'Unavailable'
  /** No answer in time. */
  | 'Timeout'
  /** The received bytes differ from the bytes that were sent. */
  | 'ChecksumMismatch'
  /** A listing repeats a key, is out of order, is incomplete or makes no progress: nothing can be concluded from it. */
  | 'BadListing'
  /** The key or path is invalid: empty, absolute, with `..`, or through a symbolic link. */
  | 'InvalidPath'
  /** This machine's clock and the store's differ by more than the store accepts. */
  | 'ClockSkew'
  /** The volume or the quota is full. */
  | 'NoSpace'
  /** The caller's signal was aborted. */
  | 'Aborted'
  /** The settings cannot work: endpoint, region, credentials of the wrong form, an untrusted certificate. */
  | 'Configuration'
  | 'Unknown';

const passing: ReadonlySet<BlobErrorCode> = new Set([
  'Throttled',
  'Unavailable',
  'Timeout',
  'ChecksumMismatch',
  'BadListing',
  'ClockSkew',
]);

export interface BlobErrorDetails {
  readonly cause?: unknown;
  /** @default implied by the code */
  readonly retryable?: boolean;
  /** @default false */
  readonly outcomeUnknown?: boolean;
  readonly retryAfterMs?: number;
}

/**
 * The only error class of this package. Branch on `code`; `retryable` is true if the fault is usually temporary, so
 * that the same call may succeed later.
 *
 * `outcomeUnknown` is true if a `put` failed and it is unknown whether the object was stored, even after checking the
 * store: call `BlobStore.settle` to find out.
 *
 * Neither the message nor anything reachable through `cause` contains a secret: causes are copies with name and message
 * only, without requests, headers and query strings.
 */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: BlobErrorCode;
  readonly retryable: boolean;
  readonly outcomeUnknown: boolean;
  /** The delay that the store requests before the next request. */
  readonly retryAfterMs: number | undefined;

  constructor(code: BlobErrorCode, message: string, details: BlobErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? passing.has(code);
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** True if `error` is a `BlobError`, with one of these codes if any are given. */
export function isBlobError(error: unknown, ...codes: readonly BlobErrorCode[]): error is BlobError {
  return error instanceof BlobError && (codes.length === 0 || codes.includes(error.code));
}
