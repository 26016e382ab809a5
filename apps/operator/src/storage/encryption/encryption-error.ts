// SPDX-License-Identifier: Apache-2.0

/**
 * Why an encrypted backup cannot be read. A retry does not help.
 *
 * - `NotEncrypted`: the spec requires encryption, and the backup is not encrypted.
 * - `NoKey`: the backup is encrypted, and the spec names no key.
 * - `WrongKey`: the backup was encrypted with another key.
 * - `Damaged`: bytes of the backup were changed, cut off, moved or repeated after encryption.
 */
export type EncryptionErrorCode = 'NotEncrypted' | 'NoKey' | 'WrongKey' | 'Damaged';

/** Thrown for all problems of encrypted backups. Contains no secret. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
  readonly code: EncryptionErrorCode;

  constructor(code: EncryptionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
