// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo, ByteRange, CallOptions, PresignedRead, PresignOptions } from '@operator-parts/blob';
import { contentBytes, decryptRange } from './decrypt-range.ts';
import { EncryptionError } from './encryption-error.ts';
import { FileCipher } from './file-cipher.ts';
import { isEncrypted, longestHeader, magic, parseHeader } from './file-header.ts';
import type { KeyProvider } from './key-provider.ts';

/** The part of a store that reads backups, as etcd sent them, even if they are encrypted in the store. */
export interface BackupReader {
  get(key: string, range?: ByteRange, options?: CallOptions): AsyncIterable<Uint8Array>;
  /** Returns the length of the decrypted content. */
  stat(key: string, options?: CallOptions): Promise<BlobInfo>;
  presign(key: string, options: PresignOptions): Promise<PresignedRead | undefined>;
}

export interface BackupToRead {
  readonly key: string;
  /** Undefined if the spec names no key: then the backup must not be encrypted. */
  readonly keys: KeyProvider | undefined;
}

/**
 * Opens a stored backup for reading. Other objects of the store are read unchanged. Rejects with an `EncryptionError` if the backup is
 * encrypted and must not be, is not encrypted and must be, or has another key. Encrypted backups get no signed URL, because a reader with
 * the URL would also need the key.
 */
export async function openBackup(
  store: BackupReader,
  { key, keys }: BackupToRead,
  signal: AbortSignal,
): Promise<BackupReader> {
  const { bytes } = await store.stat(key, { signal });
  const beginning = await read(store, key, Math.min(bytes, keys ? longestHeader : magic.byteLength), signal);
  if (!keys) {
    if (!isEncrypted(beginning)) return store;
    const message = `the backup ${key} is encrypted. Set spec.encryption.secret to the Secret with the key of this backup`;
    throw new EncryptionError('NoKey', message);
  }
  if (!isEncrypted(beginning)) {
    const message = `the backup ${key} is not encrypted, but spec.encryption is set. If you trust this backup, remove spec.encryption; otherwise name an encrypted backup`;
    throw new EncryptionError('NotEncrypted', message);
  }
  const header = parseHeader(beginning);
  return new DecryptingReader(store, { key, bytes, cipher: new FileCipher(await keys.unwrap(header, signal), header) });
}

async function read(store: BackupReader, key: string, length: number, signal: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  if (length === 0) return Buffer.alloc(0);
  for await (const piece of store.get(key, { offset: 0, length }, { signal })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

interface EncryptedBackup {
  readonly key: string;
  /**
   * Length of the stored backup when it was opened. It says which chunk must be the last one, so that an object that has replaced the
   * backup is noticed.
   */
  readonly bytes: number;
  readonly cipher: FileCipher;
}

class DecryptingReader implements BackupReader {
  readonly #store: BackupReader;
  readonly #backup: EncryptedBackup;

  constructor(store: BackupReader, backup: EncryptedBackup) {
    this.#store = store;
    this.#backup = backup;
  }

  async *get(key: string, range: ByteRange = { offset: 0 }, options: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const read = (part: ByteRange) => this.#store.get(key, part, options);
    yield* key === this.#backup.key ? decryptRange({ ...this.#backup, read }, range) : read(range);
  }

  async stat(key: string, options: CallOptions = {}): Promise<BlobInfo> {
    const info = await this.#store.stat(key, options);
    const { cipher } = this.#backup;
    return key === this.#backup.key ? { ...info, bytes: contentBytes({ cipher, bytes: info.bytes }) } : info;
  }

  async presign(key: string, options: PresignOptions): Promise<PresignedRead | undefined> {
    return key === this.#backup.key ? undefined : this.#store.presign(key, options);
  }
}
