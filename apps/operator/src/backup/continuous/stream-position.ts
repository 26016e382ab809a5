// SPDX-License-Identifier: Apache-2.0
import { chainFrom, withoutLost } from '../../changes/chain.ts';
import type { SegmentName } from '../../changes/segment-names.ts';

/** A full backup of the series, taken from the cluster that is being recorded. */
export interface BaseSnapshot {
  readonly key: string;
  readonly revision: bigint;
  /** SHA-256 of the snapshot in the backup, hexadecimal. */
  readonly sha256: string;
  /** When the backup was started, in milliseconds since the epoch. */
  readonly time: number;
}

/** What the store holds of the cluster that is being recorded. */
export interface StoredHistory {
  readonly segments: readonly SegmentName[];
  /** The newest snapshot; undefined if there is none. */
  readonly snapshot: BaseSnapshot | undefined;
  /** The present revision of the cluster. */
  readonly current: bigint;
}

/** The position to continue recording from: after a change segment (a stored object with recorded changes) or after a full snapshot. */
export type StreamPosition =
  | { readonly after: 'segment'; readonly segment: SegmentName }
  | { readonly after: 'snapshot'; readonly snapshot: BaseSnapshot; readonly missing: MissingChanges | undefined }
  /** Recording cannot continue from anything that is stored: a new full backup is needed. */
  | { readonly after: 'nothing'; readonly why: string };

/** Changes that are in no segment. The revisions `after` and `until` themselves are recorded. */
export interface MissingChanges {
  readonly after: bigint;
  readonly until: bigint;
}

/**
 * Decides where recording continues. Recording continues after the last segment if possible, so that no change is left out. Otherwise it
 * continues after a snapshot; then changes before the snapshot may stay unrecorded. Pure.
 *
 * @param minimum the lowest revision that recording may continue from: an attempt to continue from a lower revision has failed
 */
export function positionIn({ segments: all, snapshot, current }: StoredHistory, minimum: bigint): StreamPosition {
  if (!snapshot) return nothing('this EtcdBackup has stored no full backup of this cluster');
  const segments = withoutLost(all, snapshot);
  const last = segments.toSorted((a, b) => (a.to < b.to ? 1 : -1))[0];
  // The cluster is at a lower revision than was recorded, so it has lost writes. Its new revisions contain other changes than the recorded
  // ones.
  const isLost = last !== undefined && last.to > current;
  if (isLost && snapshot.time <= last.lastAt)
    return nothing(
      `the cluster has lost writes: changes were recorded up to revision ${last.to}, but the cluster is at revision ${current}`,
    );
  if (last && !isLost && last.to >= minimum)
    return isReached(segments, snapshot, last)
      ? { after: 'segment', segment: last }
      : nothing(
          `changes between revisions ${snapshot.revision} and ${last.to}, which the continuous backup recorded, are missing in the backup store`,
        );
  const isBehind = last !== undefined && !isLost && snapshot.revision < last.to;
  if (isBehind || snapshot.revision < minimum)
    return nothing(`the changes after revision ${last?.to ?? snapshot.revision} can no longer be read from etcd`);
  const isGap = last !== undefined && last.to < snapshot.revision;
  return { after: 'snapshot', snapshot, missing: isGap ? { after: last.to, until: snapshot.revision } : undefined };
}

/** True if no segment between the snapshot and the last segment is missing. Segments after a missing segment cannot be replayed. */
function isReached(segments: readonly SegmentName[], { revision }: BaseSnapshot, last: SegmentName): boolean {
  if (last.to <= revision) return true;
  return chainFrom({ clusterId: last.clusterId, revision }, segments, { revision: last.to }).kind === 'chain';
}

function nothing(why: string): StreamPosition {
  return { after: 'nothing', why };
}
