// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, type Redact, storeError } from '../call/fault.ts';

/** An unexpected answer of the store. */
export class GcsAnswer extends Error {
  readonly status: number;
  /** The store's error reason, such as `rateLimitExceeded`. */
  readonly reason: string;
  readonly retryAfter: string | undefined;

  constructor(status: number, text: string, retryAfter: string | undefined) {
    const { message, reason } = parse(text);
    super(message);
    this.name = 'GcsAnswer';
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

export function gcsError(thrown: unknown, what: string, redact: Redact): BlobError {
  if (thrown instanceof BlobError) return thrown;
  if (!(thrown instanceof GcsAnswer)) {
    const broken = connectionError(thrown, what, redact);
    if (broken) return broken;
    const cause = faultCopy(thrown, redact);
    // All other errors come from getting a token.
    return new BlobError('Configuration', redact(`${what}: ${cause.message}`), { cause });
  }
  const { status, reason, message, retryAfter } = thrown;
  return storeError(
    codeOf(thrown),
    { name: reason, status, message, retryAfter },
    what,
    faultCopy(thrown, redact),
    redact,
  );
}

function codeOf({ status, reason, message }: GcsAnswer): BlobErrorCode {
  if (status === 401) return 'Expired';
  if (reason === 'retentionPolicyNotMet' || reason === 'objectUnderActiveHold') return 'Locked';
  if (/rateLimitExceeded$/i.test(reason)) return 'Throttled';
  if (status === 400 && /\b(md5|crc32c|hash|checksum)/i.test(message)) return 'ChecksumMismatch';
  if (status === 404 && /bucket does not exist/i.test(message)) return 'BucketMissing';
  // The store has lost the upload session. A new put begins a new session.
  if (status === 410) return 'Unavailable';
  return codeOfStatus(status);
}

/** The message and the reason of an error. An answer in another form comes from something in front of the store. */
function parse(text: string): { readonly message: string; readonly reason: string } {
  try {
    const { error } = JSON.parse(text) as {
      readonly error?: { readonly message?: string; readonly errors?: readonly { readonly reason?: string }[] };
    };
    return { message: error?.message ?? '', reason: error?.errors?.[0]?.reason ?? '' };
  } catch {
    return { message: text.slice(0, 200).trim(), reason: '' };
  }
}
