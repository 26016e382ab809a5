// SPDX-License-Identifier: Apache-2.0
import type { Spill } from '../snapshot/sorted-runs.ts';

/** A spill that is no file. */
export function memorySpill(): Spill & { readonly bytes: () => number } {
  let content = Buffer.alloc(0);
  return {
    append: async (bytes) => {
      const offset = content.byteLength;
      content = Buffer.concat([content, bytes]);
      return offset;
    },
    read: async (offset, length) => content.subarray(offset, offset + length),
    bytes: () => content.byteLength,
  };
}
