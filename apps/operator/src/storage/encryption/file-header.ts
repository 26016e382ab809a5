// SPDX-License-Identifier: Apache-2.0
import { EncryptionError } from './encryption-error.ts';
import { keyIdForm, longestWrappedKey, type WrappedKey } from './key-provider.ts';

/** What no snapshot of etcd begins with: those begin with the number of their first page, which is 0. */
export const magic = Buffer.from('ETCDENC1');

const noncePrefixBytes = 7;

/** The beginning of an encrypted backup: everything that is needed to decrypt it but the key. */
export interface FileHeader extends WrappedKey {
  readonly noncePrefix: Uint8Array;
  /** As it stands in the file. */
  readonly encoded: Uint8Array;
}

/** No header is longer. */
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
 * Reads the header of a file whose first bytes these are, `longestHeader` of them or all. Anyone who may write to the store may have
 * written it: it is trusted only once a chunk has been decrypted with it. Throws an `EncryptionError` for what is none.
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
  if (!isSound) throw new EncryptionError('Damaged', 'the header of the encrypted backup is damaged');
  const wrapped = bytes.subarray(wrappedFrom, wrappedTo);
  return { keyId, wrapped, noncePrefix: bytes.subarray(wrappedTo, end), encoded: bytes.subarray(0, end) };
}
