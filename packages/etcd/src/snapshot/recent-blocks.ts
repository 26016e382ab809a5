// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from './bolt-page.ts';

const blockBytes = 65_536;
const maxBlocks = 64;

/** Reads longer than this are not cached: they would displace all blocks. */
const longest = 8 * blockBytes;

/**
 * Combines many reads of pages into fewer reads of 64 KiB, and caches the last 64 of these: 4 MiB, however large the
 * file is. Adjacent pages of a tree are mostly close together in the file.
 */
export function recentBlocks(readAt: ReadAt): ReadAt {
  const blocks = new Map<number, Uint8Array>();
  const block = async (index: number): Promise<Uint8Array> => {
    const known = blocks.get(index);
    // A Map keeps the order of insertion: inserting a used block again makes it the newest.
    blocks.delete(index);
    const bytes = known ?? (await readAt(index * blockBytes, blockBytes));
    blocks.set(index, bytes);
    const [oldest] = blocks.keys();
    if (blocks.size > maxBlocks && oldest !== undefined) blocks.delete(oldest);
    return bytes;
  };
  return async (offset, length) => {
    if (length > longest) return readAt(offset, length);
    const first = Math.floor(offset / blockBytes);
    const last = Math.floor((offset + Math.max(1, length) - 1) / blockBytes);
    const start = offset - first * blockBytes;
    if (first === last) return (await block(first)).subarray(start, start + length);
    const parts: Uint8Array[] = [];
    for (let index = first; index <= last; index++) parts.push(await block(index));
    return Buffer.concat(parts).subarray(start, start + length);
  };
}
