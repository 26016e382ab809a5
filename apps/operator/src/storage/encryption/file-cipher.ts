// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { EncryptionError } from './encryption-error.ts';
import type { FileHeader } from './file-header.ts';

/** Length of the content of a chunk, in bytes; the last chunk of a file may be shorter. */
export const chunkBytes = 65_536;
const tagBytes = 16;
export const sealedChunkBytes = chunkBytes + tagBytes;

/**
 * Encrypts a file chunk by chunk with AES-256-GCM. Each chunk has its own authentication tag (the STREAM construction). The nonce contains
 * the number of the chunk and whether it is the last one, and each chunk also authenticates the header of the file. So a chunk is valid
 * only at its position in its file, and a truncated file has no last chunk. The data key is used for this file only.
 */
export class FileCipher {
  readonly header: FileHeader;
  readonly #key: Uint8Array;

  constructor(key: Uint8Array, header: FileHeader) {
    this.#key = key;
    this.header = header;
  }

  seal(content: Uint8Array, index: number, isLast: boolean): Uint8Array {
    const cipher = createCipheriv('aes-256-gcm', this.#key, this.#nonce(index, isLast));
    cipher.setAAD(this.header.encoded);
    return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws an `EncryptionError` if these bytes are not the result of `seal` for this position. */
  open(sealed: Uint8Array, index: number, isLast: boolean): Uint8Array {
    const end = sealed.byteLength - tagBytes;
    if (end < 0) throw damaged(index);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, this.#nonce(index, isLast));
    decipher.setAAD(this.header.encoded);
    decipher.setAuthTag(sealed.subarray(end));
    const content = decipher.update(sealed.subarray(0, end));
    try {
      decipher.final();
    } catch (error) {
      throw damaged(index, error);
    }
    return content;
  }

  #nonce(index: number, isLast: boolean): Uint8Array {
    const place = Buffer.alloc(5);
    place.writeUInt32BE(index);
    place[4] = isLast ? 1 : 0;
    return Buffer.concat([this.header.noncePrefix, place]);
  }
}

function damaged(index: number, cause?: unknown): EncryptionError {
  const message = `chunk ${index} of the encrypted backup is damaged, incomplete, moved or replaced. Restore another backup`;
  return new EncryptionError('Damaged', message, { cause });
}
