// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CopyFile } from './local-copy.ts';

const blockBytes = 16;
const cipher = 'aes-256-ctr';

/**
 * A file whose content is encrypted on the disk with a key that only this process has: what is encrypted in a store is not written to a
 * disk unencrypted. The encryption does not detect changes. The caller has compared the bytes with their hash, and no other process can
 * open the file.
 *
 * @param key 32 random bytes, used for this file only
 */
export function sealedFile(file: CopyFile, key: Uint8Array): CopyFile {
  // The counter may begin at 0, because the key is used for this file only, and every position of the file is encrypted only once.
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
