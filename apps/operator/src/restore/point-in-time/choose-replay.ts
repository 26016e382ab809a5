// SPDX-License-Identifier: Apache-2.0
import { type Chain, type ChainGoal, chainFrom, snapshotSlack, withoutLost } from '../../changes/chain.ts';
import type { SegmentName } from '../../changes/segment-names.ts';

/** A full snapshot of the series with a valid manifest. */
export interface FullSnapshot {
  readonly key: string;
  /** etcd's cluster ID, hexadecimal. */
  readonly clusterId: string;
  readonly revision: bigint;
  /** When the snapshot began, in milliseconds since the epoch. */
  readonly time: number;
}

export interface Replay {
  readonly snapshot: FullSnapshot;
  /** The change segments to replay, in order; empty if the snapshot itself is the point. */
  readonly segments: readonly SegmentName[];
}

/**
 * Chooses the newest full snapshot at or before the goal from which recorded changes lead to the goal without a gap. If there is no such
 * snapshot, returns why, and what is stored. Pure.
 */
export function chooseReplay(
  snapshots: readonly FullSnapshot[],
  segments: readonly SegmentName[],
  goal: ChainGoal,
): Replay | { readonly problem: string } {
  const newestFirst = snapshots.toSorted((a, b) => b.time - a.time);
  const before = newestFirst.filter((one) => ('time' in goal ? one.time <= goal.time : one.revision <= goal.revision));
  const [newest] = before;
  if (!newest) return { problem: tooEarly(newestFirst.at(-1), goal) };
  const known = 'time' in goal ? before.filter((one) => !isLater(one, snapshots, segments, goal.time)) : before;
  const [first] = known;
  if (!first) return { problem: tooLate(newest, goal) };
  // A snapshot that began just before the requested time may contain later changes; an older snapshot with the changes since then does not.
  const surely = 'time' in goal ? known.find(({ time }) => time + snapshotSlack <= goal.time) : first;
  const sure = surely && replayFrom(surely, snapshots, segments, goal);
  return sure && !('problem' in sure) ? sure : replayFrom(first, snapshots, segments, goal);
}

function replayFrom(
  snapshot: FullSnapshot,
  snapshots: readonly FullSnapshot[],
  segments: readonly SegmentName[],
  goal: ChainGoal,
): Replay | { readonly problem: string } {
  const chain = chainOf(snapshot, segments, goal);
  if (chain.kind === 'gap')
    return { problem: `${there(goal)}: ${chain.why.replace(/\.$/, '')}${othersOf(snapshot, segments)}` };
  const { recordedUntil } = chain;
  const [revision, at] = recordedUntil
    ? [recordedUntil.revision, recordedUntil.at]
    : [snapshot.revision, snapshot.time];
  // Only a later snapshot of the same revision shows that nothing was changed until the goal.
  const isKnownLater = (time: number) =>
    snapshots.some((one) => one.clusterId === snapshot.clusterId && one.time >= time && one.revision === revision);
  if ('time' in goal && at < goal.time && !isKnownLater(goal.time)) {
    const found = `the last change that the continuous backup recorded is revision ${revision} at ${iso(at)}`;
    const problem = `${there(goal)}: ${found}, and no later change was recorded. To restore up to that revision, set spec.pointInTime.revision to ${revision}${othersOf(snapshot, segments)}`;
    return { problem };
  }
  return { snapshot, segments: chain.segments };
}

/**
 * Changes whose times are earlier than the start of the snapshot count only if their revisions are later than that of the snapshot, for
 * example because the clock was set back.
 */
function chainOf(snapshot: FullSnapshot, segments: readonly SegmentName[], goal: ChainGoal): Chain {
  const chain = chainFrom(snapshot, withoutLost(segments, snapshot), goal);
  const isReached = chain.kind === 'chain' && ('revision' in goal || (chain.recordedUntil?.at ?? 0) > goal.time);
  if (isReached) return chain;
  const any = chainFrom(snapshot, segments, goal);
  const isAfter = any.kind === 'gap' || any.segments.every(({ from }) => from > snapshot.revision);
  return isAfter ? any : chain;
}

/** True if the snapshot has changes after a time although its own time is earlier: the clock was set back, or the backup took long to begin. */
function isLater(
  { clusterId, revision }: FullSnapshot,
  snapshots: readonly FullSnapshot[],
  segments: readonly SegmentName[],
  time: number,
): boolean {
  return (
    segments.some((one) => one.clusterId === clusterId && one.to <= revision && one.lastAt > time) ||
    snapshots.some((one) => one.clusterId === clusterId && one.revision < revision && one.time > time)
  );
}

function tooLate({ revision }: FullSnapshot, goal: ChainGoal): string {
  const why =
    'already contains changes that were recorded after that time; the clock was set back or the backup started late';
  return `${there(goal)}: the full backup of revision ${revision} ${why}. Set spec.pointInTime.revision instead`;
}

function tooEarly(oldest: FullSnapshot | undefined, goal: ChainGoal): string {
  if (!oldest)
    return 'no full backup with a valid manifest is stored at the path in the spec. Set the same path as in the EtcdBackup';
  return `${there(goal)}: the oldest full backup has revision ${oldest.revision} and was made at ${iso(oldest.time)}`;
}

function there(goal: ChainGoal): string {
  const what = 'time' in goal ? iso(goal.time) : `revision ${goal.revision}`;
  return `${what} cannot be restored`;
}

/** A sentence about stored change segments of another cluster ID, which do not belong to this snapshot; empty if there are none. */
function othersOf({ clusterId }: FullSnapshot, segments: readonly SegmentName[]): string {
  const other = segments.find((segment) => segment.clusterId !== clusterId);
  return other ? `. Change segments of another cluster ID (${other.clusterId}, not ${clusterId}) are not used` : '';
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
