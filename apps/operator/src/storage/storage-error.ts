// SPDX-License-Identifier: Apache-2.0

/**
 * Why the storage that an object names cannot be used. No request has been sent yet.
 *
 * - `UnknownStorage`: no such storage type.
 * - `SourceMissing`: the spec lacks the source of the storage type, or the path in it.
 * - `InvalidPath`: the path is not valid or not allowed.
 * - `SecretMissing`: the spec names a Secret that does not exist.
 * - `SecretInvalid`: the Secret exists, but lacks a required entry.
 * - `SecretNotLabelled`: the Secret exists, but lacks the label that this operator requires.
 * - `CredentialsNotGranted`: the object needs the operator's own cloud credentials, which are not granted to this namespace or not for this
 *   store.
 * - `NotConfigured`: this operator was started without the flags that this storage type needs.
 */
export type StorageErrorCode =
  | 'UnknownStorage'
  | 'SourceMissing'
  | 'InvalidPath'
  | 'SecretMissing'
  | 'SecretInvalid'
  | 'SecretNotLabelled'
  | 'CredentialsNotGranted'
  | 'NotConfigured';

/** Thrown by `openStore`, besides the errors of the store itself (`BlobError`). Contains no secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
