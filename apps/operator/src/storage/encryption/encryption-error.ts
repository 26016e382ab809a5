// SPDX-License-Identifier: Apache-2.0

/**
 * Why an encrypted backup cannot be read. Trying again does not help.
 *
 * - `NotEncrypted`: the spec demands encryption, and the backup is not encrypted.
 * - `NoKey`: the backup is encrypted, and the spec names no key.
 * - `WrongKey`: the key is another one than the backup was encrypted with.
 * - `Damaged`: bytes were changed, cut off, moved or repeated since it was encrypted.
 */
export type EncryptionErrorCode = 'NotEncrypted' | 'NoKey' | 'WrongKey' | 'Damaged';

/** The one error of encrypted backups. Holds no secret. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';
  readonly code: EncryptionErrorCode;

  constructor(code: EncryptionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
