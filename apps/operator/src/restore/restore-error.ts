// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@operator-parts/blob';
import { SnapshotError } from '@operator-parts/etcd';
import { ChangesError } from '../changes/changes-error.ts';
import { EncryptionError } from '../storage/encryption/encryption-error.ts';
import { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';

/**
 * Why a part of a restore failed.
 *
 * - `SourceRefused`: the source is not valid or not the expected one, or has changed since it was inspected.
 * - `SourceReplaced`: the object was replaced while it was read; the new object has still to be inspected.
 * - `NotDelivered`: the new member did not accept the data; a retry may help.
 * - `NotSaved`: the data of the old members could not be stored.
 * - `KeysChanged`: another client has changed keys since they were compared with the backup.
 */
export type RestoreErrorCode = 'SourceRefused' | 'SourceReplaced' | 'NotDelivered' | 'NotSaved' | 'KeysChanged';

/** An error in the restore operator's own work. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
  readonly code: RestoreErrorCode;

  constructor(code: RestoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What failed, for the user, and whether it may be temporary. */
export interface Failure {
  readonly why: string;
  readonly passes: boolean;
  /** For how long the failure counts as temporary, in milliseconds. @default undefined: as long as the plan retries */
  readonly limit?: number;
}

export function describeFailure(error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  return { why: why.slice(0, 900), ...prospectOf(error) };
}

type Prospect = Pick<Failure, 'passes' | 'limit'>;

const lasts: Prospect = { passes: false };
const passes: Prospect = { passes: true };

/** New credentials and permissions take a while to apply everywhere in a store, and a garbled answer does not show what is wrong. */
const mayPass: Prospect = { passes: true, limit: 60_000 };

/** What is missing until a user creates it, for example when objects are applied one after the other. */
const broughtByOthers: readonly StorageErrorCode[] = ['SecretMissing', 'SecretInvalid', 'SecretNotLabelled'];
const doubtful = ['Denied', 'Expired', 'BucketMissing', 'Unknown'] as const;

const prospects: Readonly<Record<RestoreErrorCode, Prospect>> = {
  SourceRefused: lasts,
  SourceReplaced: mayPass,
  NotDelivered: passes,
  NotSaved: lasts,
  KeysChanged: lasts,
};

function prospectOf(error: unknown): Prospect {
  if (error instanceof SnapshotError || error instanceof EncryptionError || error instanceof ChangesError) return lasts;
  if (error instanceof RestoreError) return prospects[error.code];
  if (error instanceof StorageError) return broughtByOthers.includes(error.code) ? passes : lasts;
  if (isBlobError(error, ...doubtful)) return mayPass;
  if (isBlobError(error)) return error.retryable ? passes : lasts;
  // A broken connection, or an API server that restarts, is not a refusal.
  return passes;
}

/** Only what was verified may be delivered: a backup that replaced it needs a new restore, not a retry. */
export function refuseOther(error: unknown): never {
  if (error instanceof RestoreError && error.code === 'SourceReplaced')
    throw new RestoreError('SourceRefused', error.message, { cause: error });
  throw error;
}
