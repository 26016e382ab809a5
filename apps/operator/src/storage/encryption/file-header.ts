// SPDX-License-Identifier: Apache-2.0
import { EncryptionError } from './encryption-error.ts';
import { keyIdForm, longestWrappedKey, type WrappedKey } from './key-provider.ts';

/**
 * The first bytes of an encrypted file. A snapshot of etcd never begins like this: it begins with the number of its first page, which is 0.
 */
export const magic = Buffer.from('ETCDENC1');

const noncePrefixBytes = 7;

/** The beginning of an encrypted backup: everything that decryption needs, except the key. */
export interface FileHeader extends WrappedKey {
  readonly noncePrefix: Uint8Array;
  /** The bytes of the header in the file. */
  readonly encoded: Uint8Array;
}

/** The largest possible length of a header. */
export const longestHeader = magic.byteLength + 1 + 128 + 2 + longestWrappedKey + noncePrefixBytes;

/** @param bytes source of the nonce prefix */
export function createHeader({ keyId, wrapped }: WrappedKey, bytes: (length: number) => Uint8Array): FileHeader {
  if (!keyIdForm.test(keyId) || wrapped.byteLength === 0 || wrapped.byteLength > longestWrappedKey)
    throw new TypeError(`key ID ${JSON.stringify(keyId)} or its wrapped key of ${wrapped.byteLength} bytes is invalid`);
  const noncePrefix = bytes(noncePrefixBytes);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(wrapped.byteLength);
  const encoded = Buffer.concat([magic, Uint8Array.of(keyId.length), Buffer.from(keyId), length, wrapped, noncePrefix]);
  return { keyId, wrapped, noncePrefix, encoded };
}

export function isEncrypted(beginning: Uint8Array): boolean {
  return magic.equals(beginning.subarray(0, magic.byteLength));
}

/**
 * Parses the header of a file from its first bytes: `longestHeader` bytes, or the whole file if it is shorter. Anyone who may write to the
 * store may have written the header, so it is trusted only after a chunk was decrypted with it. Throws an `EncryptionError` if it is not a
 * header.
 */
export function parseHeader(beginning: Uint8Array): FileHeader {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  const idFrom = magic.byteLength + 1;
  const idTo = idFrom + (bytes[magic.byteLength] ?? 0);
  const keyId = bytes.toString('latin1', idFrom, idTo);
  const wrappedFrom = idTo + 2;
  const wrappedLength = bytes.byteLength >= wrappedFrom ? bytes.readUInt16BE(idTo) : 0;
  const wrappedTo = wrappedFrom + wrappedLength;
  const end = wrappedTo + noncePrefixBytes;
  const isSound =
    isEncrypted(bytes) &&
    keyIdForm.test(keyId) &&
    wrappedLength > 0 &&
    wrappedLength <= longestWrappedKey &&
    bytes.byteLength >= end;
  if (!isSound)
    throw new EncryptionError('Damaged', 'the header of the encrypted backup is damaged. Restore another backup');
  const wrapped = bytes.subarray(wrappedFrom, wrappedTo);
  return { keyId, wrapped, noncePrefix: bytes.subarray(wrappedTo, end), encoded: bytes.subarray(0, end) };
}
