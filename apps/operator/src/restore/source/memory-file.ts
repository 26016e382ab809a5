// SPDX-License-Identifier: Apache-2.0
import type { ScratchFile } from './scratch-file.ts';

/** Keeps a small source in memory, if there is no disk for it. */
export function memoryFile(): ScratchFile {
  let stored = Buffer.alloc(0);
  let end = 0;
  return {
    append: async (bytes) => {
      const offset = end;
      end += bytes.byteLength;
      if (end > stored.byteLength) {
        const larger = Buffer.alloc(Math.max(end, 2 * stored.byteLength));
        stored.copy(larger);
        stored = larger;
      }
      stored.set(bytes, offset);
      return offset;
    },
    read: async (offset, length) => Buffer.from(stored.subarray(offset, Math.min(end, offset + length))),
    [Symbol.asyncDispose]: async () => {
      stored = Buffer.alloc(0);
      end = 0;
    },
  };
}
