// SPDX-License-Identifier: Apache-2.0

/** A data key as a backup stores it. It can be used only with the key that it was wrapped with. */
export interface WrappedKey {
  /** Identifies that key without revealing it. */
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/**
 * Holds the key that wraps data keys. Each backup has its own data key of 32 bytes. So a key management service gets one request for each
 * backup of any length, and never sees the backup.
 */
export interface KeyProvider {
  /** Identifies the key that `wrap` uses at present. It is not secret: the backup, its manifest and the status contain it. */
  readonly keyId: string;
  /** The location of the key, for messages: `secret/backup-key`. */
  readonly source: string;
  wrap(dataKey: Uint8Array, signal: AbortSignal): Promise<WrappedKey>;
  /** Rejects with an `EncryptionError` if the data key was wrapped with another key. */
  unwrap(key: WrappedKey, signal: AbortSignal): Promise<Uint8Array>;
  /** Authenticates the manifest of a backup with 32 bytes that cannot be computed without the key. */
  mac(manifest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

export const dataKeyBytes = 32;

/** The form of key IDs in files and manifests: only characters that need no escaping in messages. */
export const keyIdForm = /^[A-Za-z0-9._:/-]{1,128}$/;

export const longestWrappedKey = 1024;
