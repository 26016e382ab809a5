// SPDX-License-Identifier: Apache-2.0
import { isNextMinor } from './releases.ts';
import { compareMinors, type EtcdVersion, minorName, versionOf } from './version.ts';

/** `ETCD_SNAPSHOT_COUNT` while a minor upgrade is being prepared: a raft snapshot is saved after a few entries. */
export const preparingSnapshotCount = 5;

/** In a member's `/metrics`: how many raft snapshots its process has saved since it started. */
export const snapshotSavedMetric = 'etcd_debugging_snap_save_total_duration_seconds_count';

/** Whether an upgrade has to wait for raft snapshots, and why. */
export interface SnapshotGate {
  readonly needed: boolean;
  readonly reason: string;
}

/** The first version that cannot read all log entries of the second version before it. */
const firstGatedTarget = versionOf('3.6.0');

/**
 * Whether the upgrade from `from` to `to` requires that each member has saved a raft snapshot since it runs `from`
 * (operator rule 3). Without that, the log may still contain entries of an even older version: 3.6 refuses v2 entries
 * of 3.4, and 3.7 panics on those of 3.5. Only upgrades by one minor need this; 3.4 and 3.5 can read all older entries.
 */
export function snapshotGate(from: EtcdVersion, to: EtcdVersion): SnapshotGate {
  if (!isNextMinor(from, to)) return { needed: false, reason: 'not an upgrade to the next minor' };
  if (compareMinors(to, firstGatedTarget) < 0) {
    return {
      needed: false,
      reason: `etcd ${minorName(to)} can read all write-ahead log (WAL) entries of older versions`,
    };
  }
  return {
    needed: true,
    reason: `etcd ${minorName(to)} cannot read write-ahead log (WAL) entries written by versions before ${minorName(from)}; each member must first take a raft snapshot while it runs ${minorName(from)}`,
  };
}
