// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { Redact } from '../call/fault.ts';
import { type LockWords, lockedUntil, type ObjectLock, requireLock } from '../object-lock.ts';
import { GcsAnswer, gcsError } from './gcs-errors.ts';
import type { GcsObject } from './gcs-requests.ts';

const modes = { Governance: 'Unlocked', Compliance: 'Locked' } as const;
const words: LockWords = { modes, toRead: 'storage.objects.get' };

/** The retention of a new object. @param now milliseconds since the epoch */
export function retentionInput(lock: ObjectLock | undefined, now: number): Pick<GcsObject, 'retention'> {
  if (!lock) return {};
  return { retention: { mode: modes[lock.mode], retainUntilTime: lockedUntil(lock, now).toISOString() } };
}

/**
 * Throws if the requested lock is not shown.
 * @param found undefined if the credentials may not read the metadata of the object
 */
export function checkRetained(lock: ObjectLock, found: GcsObject | undefined, key: string, now: number): void {
  const { mode, retainUntilTime } = found?.retention ?? {};
  const until = retainUntilTime === undefined ? undefined : new Date(retainUntilTime);
  requireLock(lock, words, found && { mode, until }, key, now);
}

/** Throws the error of a write, with what to do if object retention is not enabled for the bucket. */
export function explainRefusal(error: unknown, lock: ObjectLock | undefined, what: string, redact: Redact): never {
  const status = error instanceof GcsAnswer ? error.status : 0;
  const found = gcsError(error, what, redact);
  if (!lock || found.code !== 'Unknown' || status < 400 || status >= 500) throw error;
  const remedy = 'objectLock needs a bucket with object retention enabled';
  throw new BlobError('Configuration', `${found.message}. ${remedy}`, { cause: found.cause });
}
