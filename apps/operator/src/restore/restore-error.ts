// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@etcd-operator/blob';
import { SnapshotError } from '@etcd-operator/etcd';
import { StorageError } from '../storage/storage-error.ts';

/**
 * Why a part of a restore did not work.
 *
 * - `SourceRefused`: the source is not what it should be, or has changed since it was looked at.
 * - `NotDelivered`: the new member did not take the data; trying again may help.
 * - `NotSaved`: what the old members hold could not be stored.
 */
export type RestoreErrorCode = 'SourceRefused' | 'NotDelivered' | 'NotSaved';

/** The error of the restore operator's own work. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly code: RestoreErrorCode;

  constructor(code: RestoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What went wrong, for people, and whether it may go away by itself. */
export function describeFailure(error: unknown): { readonly why: string; readonly passes: boolean } {
  const why = error instanceof Error ? error.message : String(error);
  return { why: why.slice(0, 900), passes: passes(error) };
}

function passes(error: unknown): boolean {
  if (error instanceof SnapshotError) return false;
  if (error instanceof RestoreError) return error.code === 'NotDelivered';
  if (error instanceof StorageError) return error.code === 'SecretMissing';
  if (isBlobError(error)) return error.retryable;
  // A broken connection, an API server that restarts: nothing that says no.
  return true;
}
