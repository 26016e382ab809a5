// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import type { SegmentName } from '../../changes/segment-names.ts';
import { listSegments } from '../../changes/stored-segments.ts';
import { listSeries, sound } from '../act/stored/prune.ts';

/** How many segments are deleted at the same time. */
const deleters = 8;

/**
 * Deletes change segments that end before the oldest stored full backup: no restore needs them. Every backup at the path counts, whoever
 * made the backup and even if it is damaged. So no segment is deleted that a restore could still need. If the store lists no backup,
 * nothing is deleted.
 *
 * @param fence throws if this process must not delete anything now
 * @returns how many were deleted
 */
export async function pruneSegments(
  store: BlobStore,
  base: string,
  fence: () => void,
  signal: AbortSignal,
): Promise<number> {
  const { backups } = sound(await listSeries(store, base, signal));
  const [oldest] = backups.map(({ revision }) => revision).toSorted((a, b) => (a < b ? -1 : 1));
  if (oldest === undefined) return 0;
  return deleteSegments(store, base, { isSurplus: ({ to }) => to <= oldest, fence }, signal);
}

/** Deletes the surplus segments. Locked segments stay. */
export async function deleteSegments(
  store: BlobStore,
  base: string,
  { isSurplus, fence }: { readonly isSurplus: (segment: SegmentName) => boolean; readonly fence: () => void },
  signal: AbortSignal,
): Promise<number> {
  const surplus = (await listSegments(store, base, signal)).filter(isSurplus);
  let deleted = 0;
  for (let from = 0; from < surplus.length; from += deleters) {
    fence();
    const some = surplus.slice(from, from + deleters);
    const gone = await Promise.all(some.map(({ key }) => isDeleted(store, key, signal)));
    deleted += gone.filter(Boolean).length;
  }
  return deleted;
}

async function isDeleted(store: BlobStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    await store.delete(key, { signal });
    return true;
  } catch (error) {
    if (isBlobError(error, 'Locked')) return false;
    throw error;
  }
}
