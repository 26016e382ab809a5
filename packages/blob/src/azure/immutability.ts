// SPDX-License-Identifier: Apache-2.0
import type { BlobImmutabilityPolicy, BlockBlobClient } from '@azure/storage-blob';
import { BlobError } from '../blob-error.ts';
import type { Redact } from '../call/fault.ts';
import {
  isLongEnough,
  isMode,
  type LockWords,
  lockedUntil,
  type ObjectLock,
  requireLock,
  type ShownLock,
} from '../object-lock.ts';
import { azureError, azureStatus } from './azure-errors.ts';

const modes = { Governance: 'Unlocked', Compliance: 'Locked' } as const;
const words: LockWords = { modes, toRead: 'to read blobs' };

/** The immutability policy for a new blob. @param now milliseconds since the epoch */
export function immutabilityInput(
  lock: ObjectLock | undefined,
  now: number,
): { readonly immutabilityPolicy?: BlobImmutabilityPolicy } {
  if (!lock) return {};
  return { immutabilityPolicy: { expiriesOn: lockedUntil(lock, now), policyMode: modes[lock.mode] } };
}

/**
 * Throws if the store does not show that a blob which was just stored is locked. Azure's documentation contradicts
 * itself: an upload gets the requested mode, or its policy is always unlocked. In the second case, this function locks
 * the policy.
 */
export async function confirmImmutable(
  blob: BlockBlobClient,
  lock: ObjectLock,
  now: number,
  abortSignal: AbortSignal,
): Promise<void> {
  let shown = await shownLock(blob, abortSignal);
  const isToBeLocked = shown?.mode && !isMode(lock, shown, modes) && isLongEnough(lock, shown, now);
  if (lock.mode === 'Compliance' && shown?.until && isToBeLocked) {
    const policy = { expiriesOn: shown.until, policyMode: modes[lock.mode] };
    await blob.setImmutabilityPolicy(policy, { abortSignal });
    shown = await shownLock(blob, abortSignal);
  }
  requireLock(lock, words, shown, blob.name, now);
}

async function shownLock(blob: BlockBlobClient, abortSignal: AbortSignal): Promise<ShownLock | undefined> {
  try {
    const { immutabilityPolicyExpiresOn: until, immutabilityPolicyMode: mode } = await blob.getProperties({
      abortSignal,
    });
    return { mode, until };
  } catch (error) {
    if (azureStatus(error) !== 403) throw error;
    return undefined;
  }
}

/**
 * Throws the error of a write, with what to do if the container does not support immutability: it refuses a policy with
 * an undocumented error.
 */
export function explainRefusal(error: unknown, lock: ObjectLock | undefined, what: string, redact: Redact): never {
  const status = azureStatus(error) ?? 0;
  const found = azureError(error, what, redact);
  if (!lock || found.code !== 'Unknown' || status < 400 || status >= 500) throw error;
  const remedy = 'objectLock needs a container with support for version-level immutability';
  throw new BlobError('Configuration', `${found.message}. ${remedy}`, { cause: found.cause });
}
