// SPDX-License-Identifier: Apache-2.0
import { chainFrom, withoutLost } from '../../changes/chain.ts';
import type { SegmentName } from '../../changes/segment-names.ts';

/** A full backup of the series, of the cluster as it is now. */
export interface BaseSnapshot {
  readonly key: string;
  readonly revision: bigint;
  /** SHA-256 of the snapshot in it, hexadecimal. */
  readonly sha256: string;
  /** When it was begun, in milliseconds since the epoch. */
  readonly time: number;
}

/** What is stored of the cluster that is being recorded. */
export interface StoredHistory {
  readonly segments: readonly SegmentName[];
  /** The newest; undefined: there is none. */
  readonly snapshot: BaseSnapshot | undefined;
  /** The cluster's revision now. */
  readonly current: bigint;
}

/** Where recording goes on: after what a segment or a snapshot holds. */
export type StreamPosition =
  | { readonly after: 'segment'; readonly segment: SegmentName }
  | { readonly after: 'snapshot'; readonly snapshot: BaseSnapshot; readonly missing: MissingChanges | undefined }
  /** Nothing that is stored can be gone on from: a new full backup is needed. */
  | { readonly after: 'nothing'; readonly why: string };

/** Changes that are in no segment. Both revisions are recorded. */
export interface MissingChanges {
  readonly after: bigint;
  readonly until: bigint;
}

/**
 * Where recording goes on. The last segment comes first, so that no change is left out; a snapshot, after which changes before it stay
 * unrecorded, only where the segment will not do. Pure.
 *
 * @param minimum recording was tried from before this revision and cannot be done
 */
export function positionIn({ segments: all, snapshot, current }: StoredHistory, minimum: bigint): StreamPosition {
  if (!snapshot) return nothing('no full backup of this cluster is stored by this EtcdBackup');
  const segments = withoutLost(all, snapshot);
  const last = segments.toSorted((a, b) => (a.to < b.to ? 1 : -1))[0];
  // A cluster that is behind what was recorded of it has lost writes: what follows is another history.
  const isLost = last !== undefined && last.to > current;
  if (isLost && snapshot.time <= last.lastAt)
    return nothing(`the cluster is at revision ${current}, but its changes were recorded up to revision ${last.to}`);
  if (last && !isLost && last.to >= minimum)
    return isReached(segments, snapshot, last)
      ? { after: 'segment', segment: last }
      : nothing(`segments between revisions ${snapshot.revision} and ${last.to} are missing in the store`);
  const isBehind = last !== undefined && !isLost && snapshot.revision < last.to;
  if (isBehind || snapshot.revision < minimum)
    return nothing(`the changes after revision ${last?.to ?? snapshot.revision} cannot be read any more`);
  const isGap = last !== undefined && last.to < snapshot.revision;
  return { after: 'snapshot', snapshot, missing: isGap ? { after: last.to, until: snapshot.revision } : undefined };
}

/** Segments may have been deleted: those after them could not be replayed. */
function isReached(segments: readonly SegmentName[], { revision }: BaseSnapshot, last: SegmentName): boolean {
  if (last.to <= revision) return true;
  return chainFrom({ clusterId: last.clusterId, revision }, segments, { revision: last.to }).kind === 'chain';
}

function nothing(why: string): StreamPosition {
  return { after: 'nothing', why };
}
