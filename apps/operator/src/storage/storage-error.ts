// SPDX-License-Identifier: Apache-2.0

/**
 * Why the storage that an object names cannot be used, before any request is made.
 *
 * - `UnknownStorage`: no such storage type.
 * - `SourceMissing`: the spec lacks the source, or its path, that belongs to the storage type.
 * - `InvalidPath`: the path is none, or one that is never used.
 * - `SecretMissing`: a Secret that is named does not exist.
 * - `SecretInvalid`: it exists, and lacks what is needed.
 * - `SecretNotLabelled`: it exists, and lacks the label that this operator asks for.
 * - `CredentialsNotGranted`: it would need the operator's own cloud credentials, which objects of this namespace, or this store, do not get.
 * - `NotConfigured`: this operator was started without what this kind of storage needs.
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

/** The error of `openStore`, besides those of the store itself (`BlobError`). Holds no secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
