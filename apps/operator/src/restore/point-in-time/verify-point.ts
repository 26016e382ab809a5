// SPDX-License-Identifier: Apache-2.0
import type { ChainGoal } from '../../changes/chain.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { Measure } from '../delivery/measure.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import type { Kept } from '../source/scratch.ts';
import { openPoint, type PointSource } from './point-source.ts';

/**
 * Builds the data of a point in time once, to its end, in bounded memory, and compares every hash of the full backup and of all changes.
 * The result is what the new member must get, byte for byte.
 *
 * @param goal includes the path of the earlier full backup if the same bytes are needed again
 */
export async function verifyPoint(
  opened: OpenedStorage,
  goal: ChainGoal & { readonly snapshot?: string },
  keep: (bytes: number) => Promise<Kept | undefined>,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  const point = await openPoint(opened, goal, signal, goal.snapshot);
  const kept = await keep(point.bytes);
  try {
    const measure = new Measure();
    let bytes = 0;
    for await (const piece of point.all()) {
      measure.update(piece);
      await kept?.write(piece);
      bytes += piece.byteLength;
      onProgress(bytes);
    }
    await kept?.finish();
    return { ...factsOf(opened, point), bytes, sha256: measure.result().sha256 };
  } catch (error) {
    await kept?.drop();
    throw error;
  }
}

function factsOf({ place }: OpenedStorage, point: PointSource): Omit<SourceFacts, 'bytes' | 'sha256'> {
  const { facts, snapshot, segments, revision, time } = point;
  const { cluster, etcdVersion } = point.verdict() ?? {};
  // `newestEntry` is a fact of the full snapshot. It does not apply if changes were added, because then the last change is the newest
  // entry.
  const { newestEntry, ...database } = facts;
  const reached = Number(revision);
  return {
    path: place.path,
    ...database,
    ...(newestEntry !== undefined && reached === facts.revision && { newestEntry }),
    revision: reached,
    verified: 'Manifest',
    cluster,
    etcdVersion,
    pointInTime: { snapshot, segments, time: new Date(time).toISOString() },
  };
}
