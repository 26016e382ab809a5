// SPDX-License-Identifier: Apache-2.0
import type { SegmentName } from './segment-names.ts';

/** The start of a replay: the full snapshot to which recorded changes are applied. */
export interface ChainStart {
  /** The cluster ID of etcd, hexadecimal, from the manifest of the snapshot. */
  readonly clusterId: string;
  readonly revision: bigint;
}

/** The end of a replay: this revision, or the last revision that was seen at or before this time (milliseconds since the epoch). */
export type ChainGoal = { readonly revision: bigint } | { readonly time: number };

export type Chain =
  | {
      readonly kind: 'chain';
      /**
       * In order; each segment continues where the previous one ends. The first segment may begin before the snapshot. The last segment may
       * begin before the end of the previous segment, and may end after the goal. The replay skips these extra revisions.
       */
      readonly segments: readonly SegmentName[];
      /** The last change that these segments contain; undefined without segments. */
      readonly recordedUntil: { readonly revision: bigint; readonly at: number } | undefined;
    }
  /** Changes are missing between the snapshot and the goal. */
  | { readonly kind: 'gap'; readonly why: string };

/**
 * Selects the change segments (stored objects with recorded changes) that lead from a snapshot to a goal. Segments may overlap if two
 * operators recorded the same revisions. Of overlapping segments, those that follow each other exactly are chosen. Pure.
 *
 * If the goal is a time after the last recorded change, all recorded changes are selected: later changes are not known here.
 */
export function chainFrom(start: ChainStart, listed: readonly SegmentName[], goal: ChainGoal): Chain {
  const segments = listed.filter(({ clusterId }) => clusterId === start.clusterId);
  return 'revision' in goal ? toRevision(start, segments, goal.revision) : toTime(start, segments, goal.time);
}

/**
 * How exact the recorded time of a snapshot is, in milliseconds. The snapshot may contain later changes, because starting it takes time,
 * and may lack earlier changes, because the member may lag behind.
 */
export const snapshotSlack = 60_000;

/**
 * The segments that can belong to the history of a snapshot. If changes were recorded well before the snapshot was started and are not in
 * the snapshot, the cluster has lost these changes and has continued from a lower revision under the same cluster ID.
 *
 * @param time when the snapshot was started, in milliseconds since the epoch
 */
export function withoutLost(
  segments: readonly SegmentName[],
  { revision, time }: { readonly revision: bigint; readonly time: number },
): readonly SegmentName[] {
  return segments.filter(({ to, lastAt }) => to <= revision || lastAt + snapshotSlack >= time);
}

function toRevision({ revision }: ChainStart, segments: readonly SegmentName[], wanted: bigint): Chain {
  if (wanted < revision)
    return gap(
      `the full backup is at revision ${revision}, which is later than revision ${wanted}. Choose an older full backup.`,
    );
  if (wanted === revision) return chain([]);
  const reached = reachable(segments, revision);
  const last = reached.find(({ name }) => name.from <= wanted && wanted <= name.to);
  return last ? chain(pathTo(last)) : missing(segments, { revision, reached, goal: `revision ${wanted}` });
}

function toTime({ revision }: ChainStart, segments: readonly SegmentName[], time: number): Chain {
  const reached = reachable(segments, revision);
  const surely = farthest(reached.filter(({ latest }) => latest <= time));
  // The first segment with a change after `time` shows which change was the last before `time`. If several segments have this change, the
  // segment that was recorded first has the most exact time.
  const end = surely?.name.to ?? revision;
  const isNext = (one: SegmentName) =>
    holdsNext(one, end) && (holdsNext(one, revision) || reached.some(({ name }) => name.to === one.from - 1n));
  const [next] = segments.filter((one) => one.lastAt > time && isNext(one)).toSorted(byTime);
  if (next) return chain([...pathTo(surely), next]);
  const path = pathTo(farthest(reached));
  const after = path.findIndex(({ lastAt }) => lastAt > time);
  if (after >= 0) return chain(path.slice(0, after + 1));
  const until = path.at(-1)?.to ?? revision;
  const isGap = segments.some(({ from }) => from > until + 1n);
  return isGap ? missing(segments, { revision, reached, goal: new Date(time).toISOString() }) : chain(path);
}

function farthest(reached: readonly Reached[]): Reached | undefined {
  return reached.toSorted((a, b) => compare(b.name.to, a.name.to))[0];
}

/** True if the segment contains the change after a revision. */
function holdsNext({ from, to }: SegmentName, revision: bigint): boolean {
  return from <= revision + 1n && revision + 1n <= to;
}

interface Reached {
  readonly name: SegmentName;
  readonly before: Reached | undefined;
  /** The latest time of all segments on the path, including this segment. */
  readonly latest: number;
}

/**
 * All segments that can be reached from the revision without a gap. Of segments with the same end, only the one that was recorded first.
 */
function reachable(segments: readonly SegmentName[], revision: bigint): readonly Reached[] {
  const byEnd = new Map<bigint, Reached>();
  for (const name of segments.toSorted(byRevision)) {
    const isFirst = holdsNext(name, revision);
    const before = isFirst ? undefined : byEnd.get(name.from - 1n);
    if (!before && !isFirst) continue;
    const latest = Math.max(name.lastAt, before?.latest ?? name.lastAt);
    const other = byEnd.get(name.to);
    if (!other || latest < other.latest) byEnd.set(name.to, { name, before, latest });
  }
  return [...byEnd.values()];
}

/** Sorts a segment before those that may follow it. */
function byRevision(a: SegmentName, b: SegmentName): number {
  return compare(a.from, b.from) || compare(a.to, b.to) || compare(a.lastAt, b.lastAt);
}

function compare(a: bigint | number, b: bigint | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function byTime(a: SegmentName, b: SegmentName): number {
  return compare(a.lastAt, b.lastAt) || byRevision(a, b);
}

function pathTo(last: Reached | undefined): readonly SegmentName[] {
  const path: SegmentName[] = [];
  for (let one = last; one; one = one.before) path.push(one.name);
  return path.reverse();
}

function chain(segments: readonly SegmentName[]): Chain {
  const last = segments.at(-1);
  return { kind: 'chain', segments, recordedUntil: last && { revision: last.to, at: last.lastAt } };
}

function missing(
  segments: readonly SegmentName[],
  { revision, reached, goal }: { revision: bigint; reached: readonly Reached[]; goal: string },
): Chain {
  const until =
    reached
      .map(({ name }) => name.to)
      .toSorted(compare)
      .at(-1) ?? revision;
  const later = segments.map(({ from }) => from).filter((from) => from > until + 1n);
  const [first] = later.toSorted(compare);
  if (first === undefined)
    return gap(
      `after the full backup of revision ${revision}, the continuous backup has recorded changes only up to revision ${until}, not up to ${goal}.`,
    );
  return gap(
    `the changes between revisions ${until} and ${first} are missing, so ${goal} cannot be reached from the full backup of revision ${revision}. Choose a full backup of revision ${first - 1n} or later, or an earlier revision or time.`,
  );
}

function gap(why: string): Chain {
  return { kind: 'gap', why };
}
