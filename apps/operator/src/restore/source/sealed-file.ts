// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CopyFile } from './local-copy.ts';

const blockBytes = 16;
const cipher = 'aes-256-ctr';

/**
 * A file whose content lies encrypted on the disk, for as long as this process has the key: what is encrypted in a store is not laid open on a disk. It keeps
 * nobody from changing the content; whoever uses it has compared the bytes with their hash on the way, and nobody else can open the file.
 *
 * @param key 32 random bytes, of this file alone
 */
export function sealedFile(file: CopyFile, key: Uint8Array): CopyFile {
  // The counter begins at 0: a key encrypts each place of one file once.
  const sealing = createCipheriv(cipher, key, Buffer.alloc(blockBytes));
  return {
    append: (bytes) => file.append(sealing.update(bytes)),
    read: async (offset, length) => {
      const skipped = offset % blockBytes;
      const sealed = await file.read(offset - skipped, length + skipped);
      const opening = createDecipheriv(cipher, key, counterAt((offset - skipped) / blockBytes));
      return opening.update(sealed).subarray(skipped);
    },
  };
}

function counterAt(block: number): Buffer {
  const counter = Buffer.alloc(blockBytes);
  counter.writeBigUInt64BE(BigInt(block), blockBytes - 8);
  return counter;
}
