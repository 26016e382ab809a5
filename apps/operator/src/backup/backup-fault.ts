// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@operator-parts/blob';
import { isEtcdError, SnapshotError } from '@operator-parts/etcd';
import { isKubeError } from '@operator-parts/kube';
import type { BackupReason } from '../api/reasons.ts';
import { EncryptionError } from '../storage/encryption/encryption-error.ts';
import { StorageError } from '../storage/storage-error.ts';

/**
 * Why an attempt failed.
 *
 * - `passing`: a retry may succeed soon.
 * - `lasting`: a user has to act, but not necessarily on this object. The operator retries at longer intervals.
 */
export interface BackupFault {
  readonly kind: 'passing' | 'lasting';
  /** Reason of the condition and of the event. */
  readonly reason: BackupReason;
  readonly message: string;
}

/** A failure that the run itself detected. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly fault: BackupFault;

  constructor(kind: BackupFault['kind'], reason: BackupReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = { kind, reason, message };
  }
}

const longestMessage = 1024;

/** What to report for an error of a run. The error messages of the packages that the operator uses contain no secrets. */
export function faultOf(error: unknown): BackupFault {
  const { kind, reason } = classify(error);
  const message = error instanceof Error ? error.message : String(error);
  return { kind, reason, message: message.slice(0, longestMessage) };
}

function classify(error: unknown): Pick<BackupFault, 'kind' | 'reason'> {
  if (error instanceof BackupError) return error.fault;
  if (error instanceof StorageError) return { kind: 'lasting', reason: error.code };
  if (error instanceof SnapshotError || error instanceof EncryptionError)
    return { kind: 'passing', reason: 'SnapshotDamaged' };
  if (isBlobError(error)) return storeFault(error.code, error.retryable);
  if (isEtcdError(error, 'TlsFailed')) return { kind: 'lasting', reason: 'TLSFailed' };
  if (isEtcdError(error, 'LoginFailed', 'LoginRequired', 'PermissionDenied', 'InvalidAuthToken'))
    return { kind: 'lasting', reason: 'AuthenticationFailed' };
  if (isEtcdError(error)) return { kind: 'passing', reason: 'EtcdUnavailable' };
  if (isKubeError(error)) return { kind: 'passing', reason: 'APIServerUnavailable' };
  return { kind: 'passing', reason: 'Unknown' };
}

function storeFault(code: string, retryable: boolean): Pick<BackupFault, 'kind' | 'reason'> {
  if (code === 'ChecksumMismatch') return { kind: 'passing', reason: 'StoredDamaged' };
  if (code === 'BadListing') return { kind: 'passing', reason: 'ListingUnsound' };
  // The cause is usually a garbled response, or an object that was deleted while it was written. A retry may succeed.
  if (code === 'Unknown' || code === 'NotFound') return { kind: 'passing', reason: 'StorageUnavailable' };
  const lasting = lastingStoreFaults[code];
  if (lasting !== undefined) return { kind: 'lasting', reason: lasting };
  return { kind: retryable ? 'passing' : 'lasting', reason: 'StorageUnavailable' };
}

const lastingStoreFaults: Readonly<Record<string, BackupReason>> = {
  BucketMissing: 'BucketMissing',
  Denied: 'AccessDenied',
  Locked: 'ObjectLocked',
  Expired: 'CredentialsExpired',
  Configuration: 'StorageMisconfigured',
  InvalidPath: 'InvalidPath',
  NoSpace: 'NoSpace',
};

/** The first retry after a lasting failure is also soon: a Secret may be applied a moment after the object that names it. */
const growth = { passing: { first: 1_000, factor: 2 }, lasting: { first: 5_000, factor: 4 } } as const;
/** The longest pause after a failure, in milliseconds. */
export const longestPause = 5 * 60_000;

/** How long to wait after this many failures in a row. @param chance from 0 to 1; spreads retries of objects that fail together */
export function pauseAfter({ kind }: BackupFault, failures: number, chance: number): number {
  const { first, factor } = growth[kind];
  const pause = Math.min(longestPause, first * factor ** Math.min(30, failures - 1));
  return Math.round(pause * (0.75 + chance / 4));
}
