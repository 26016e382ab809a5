// SPDX-License-Identifier: Apache-2.0

/** Why an object store did not do what it was asked to. */
export type BlobErrorCode =
  /** There is no such object. */
  | 'NotFound'
  /** There is no such bucket, container or directory. */
  | 'BucketMissing'
  /** The store knows who asks, or does not want to, and says no. */
  | 'Denied'
  /** The object is locked: it cannot be deleted or replaced yet. */
  | 'Locked'
  /** The credentials were valid, but have expired. */
  | 'Expired'
  /** Too many requests; the store asks for patience. */
  | 'Throttled'
  /** No answer, a broken connection, or an answer that says that the store itself failed. */
  | 'Unavailable'
  /** An answer did not come in time. */
  | 'Timeout'
  /** What arrived is not what was sent. */
  | 'ChecksumMismatch'
  /** A listing repeats a key, runs backwards, breaks off or does not get on: what it names, and what it does not, proves nothing. */
  | 'BadListing'
  /** The key or path is one that is never used: empty, absolute, with `..`, or through a symbolic link. */
  | 'InvalidPath'
  /** This machine's clock and the store's differ by more than the store accepts. */
  | 'ClockSkew'
  /** The volume or the quota is full. */
  | 'NoSpace'
  /** The caller's signal was aborted. */
  | 'Aborted'
  /** The settings cannot work: endpoint, region, credentials of the wrong form, a certificate nobody trusts. */
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
  /** @default what the code implies */
  readonly retryable?: boolean;
  /** @default false */
  readonly outcomeUnknown?: boolean;
  readonly retryAfterMs?: number;
}

/**
 * The one error of this package. `code` is what to branch on; `retryable` is true if the fault is of a kind that passes by
 * itself, so that the same call may succeed later.
 *
 * `outcomeUnknown` is true if a `put` failed in a way that leaves open whether the object was stored, also after a look at the store:
 * it must be settled by reading, with `BlobStore.settle`.
 *
 * Neither the message nor anything reachable through `cause` holds a secret: causes are copies that carry name and
 * message only, without requests, headers and query strings.
 */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: BlobErrorCode;
  readonly retryable: boolean;
  readonly outcomeUnknown: boolean;
  /** How long the store asks to wait before the next request. */
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
