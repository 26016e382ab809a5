// SPDX-License-Identifier: Apache-2.0
import type { SegmentName } from '../../changes/segment-names.ts';

/** Recorded changes without a gap. */
export interface ChangesRange {
  /** The cluster ID of etcd, hexadecimal. */
  readonly clusterId: string;
  readonly from: bigint;
  readonly to: bigint;
  /** When the last of these changes was received, in milliseconds since the epoch. */
  readonly lastAt: number;
  readonly segments: number;
}

/**
 * The ranges of revisions that change segments (stored objects with recorded changes) cover, by cluster and revision. Segments that two
 * operators recorded may overlap. Pure.
 */
export function changesRanges(segments: readonly SegmentName[]): readonly ChangesRange[] {
  const ranges: ChangesRange[] = [];
  for (const { clusterId, from, to, lastAt } of segments.toSorted(byClusterAndRevision)) {
    const last = ranges.at(-1);
    if (last?.clusterId !== clusterId || from > last.to + 1n) {
      ranges.push({ clusterId, from, to, lastAt, segments: 1 });
      continue;
    }
    const isFarther = to > last.to;
    const joined = isFarther ? { to, lastAt: Math.max(lastAt, last.lastAt) } : {};
    ranges.splice(-1, 1, { ...last, ...joined, segments: last.segments + 1 });
  }
  return ranges;
}

function byClusterAndRevision(a: SegmentName, b: SegmentName): number {
  if (a.clusterId !== b.clusterId) return a.clusterId < b.clusterId ? -1 : 1;
  return a.from < b.from ? -1 : a.from > b.from ? 1 : 0;
}
