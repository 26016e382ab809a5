// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@etcd-operator/blob';
import { SnapshotError } from '@etcd-operator/etcd';
import { ChangesError } from '../changes/changes-error.ts';
import { EncryptionError } from '../storage/encryption/encryption-error.ts';
import { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';

/**
 * Why a part of a restore did not work.
 *
 * - `SourceRefused`: the source is not what it should be, or has changed since it was looked at.
 * - `SourceReplaced`: another object has taken its place while it was read; what that is has yet to be looked at.
 * - `NotDelivered`: the new member did not take the data; trying again may help.
 * - `NotSaved`: what the old members hold could not be stored.
 * - `KeysChanged`: somebody else has changed keys since they were compared with the backup.
 */
export type RestoreErrorCode = 'SourceRefused' | 'SourceReplaced' | 'NotDelivered' | 'NotSaved' | 'KeysChanged';

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
export interface Failure {
  readonly why: string;
  readonly passes: boolean;
  /** For how long, in milliseconds, it is taken for what may go away. @default as long as the plan waits for anything */
  readonly limit?: number;
}

export function describeFailure(error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  return { why: why.slice(0, 900), ...prospectOf(error) };
}

type Prospect = Pick<Failure, 'passes' | 'limit'>;

const lasts: Prospect = { passes: false };
const passes: Prospect = { passes: true };

/** New credentials and grants take a while to be known everywhere in a store, and a garbled answer says nothing. */
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
  // A broken connection, an API server that restarts: nothing that says no.
  return passes;
}

/** What was verified is what is delivered: another backup in its place is no other attempt of the same. */
export function refuseOther(error: unknown): never {
  if (error instanceof RestoreError && error.code === 'SourceReplaced')
    throw new RestoreError('SourceRefused', error.message, { cause: error });
  throw error;
}
