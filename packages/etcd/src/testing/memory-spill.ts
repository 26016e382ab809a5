// SPDX-License-Identifier: Apache-2.0
import type { Spill } from '../snapshot/sorted-runs.ts';

/** A spill in memory. */
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
