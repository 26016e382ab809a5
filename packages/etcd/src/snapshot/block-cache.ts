// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';

/** The first block contains both meta pages, so that opening a file needs one read. */
const blockBytes = 8192;

/** At most this many blocks are read, far more than any valid file needs. */
const maxBlocks = 256;

/**
 * Combines many small reads into a few larger ones, and caches them: a read from an object store is a request. At most
 * 2 MiB are read; a file that needs more is invalid.
 */
export function blockCache(readAt: ReadAt): ReadAt {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const block = (index: number): Promise<Uint8Array> => {
    const known = blocks.get(index);
    if (known) return known;
    if (blocks.size >= maxBlocks)
      throw new SnapshotError('Malformed', 'the database file is damaged: its pages refer to each other without end');
    const fetched = readAt(index * blockBytes, blockBytes);
    blocks.set(index, fetched);
    return fetched;
  };
  return async (offset, length) => {
    const first = Math.floor(offset / blockBytes);
    const last = Math.floor((offset + Math.max(1, length) - 1) / blockBytes);
    const indices = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const bytes = Buffer.concat(await Promise.all(indices.map(block)));
    const start = offset - first * blockBytes;
    return bytes.subarray(start, start + length);
  };
}
