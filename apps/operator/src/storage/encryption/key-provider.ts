// SPDX-License-Identifier: Apache-2.0

/** A data key as it is kept in a backup: useful only with the key that it was wrapped with. */
export interface WrappedKey {
  /** Names that key without revealing it. */
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/**
 * Keeps the key that data keys are wrapped with. Each backup has a data key of its own, of 32 bytes, so that a key management service is
 * asked once for a backup, whatever its length, and never sees the backup.
 */
export interface KeyProvider {
  /** Names the key that `wrap` uses at the moment. Not secret: it is kept in the backup, its manifest and the status. */
  readonly keyId: string;
  /** Where the key is, for messages: `secret/backup-key`. */
  readonly source: string;
  wrap(dataKey: Uint8Array, signal: AbortSignal): Promise<WrappedKey>;
  /** Rejects with an `EncryptionError` if its key is not the one that this was wrapped with. */
  unwrap(key: WrappedKey, signal: AbortSignal): Promise<Uint8Array>;
  /** Authenticates the manifest of a backup: 32 bytes that cannot be computed without the key. */
  mac(manifest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

export const dataKeyBytes = 32;

/** What is written into files and manifests: letters that no message has to escape. */
export const keyIdForm = /^[A-Za-z0-9._:/-]{1,128}$/;

export const longestWrappedKey = 1024;
