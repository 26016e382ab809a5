// SPDX-License-Identifier: Apache-2.0
import { isNextMinor, minorRelease, supportOf } from './releases.ts';
import {
  compareMinors,
  compareVersions,
  type EtcdVersion,
  formatVersion,
  isAtLeast,
  isSameMinor,
  minorName,
  versionOf,
} from './version.ts';

/** Facts about a running cluster that are needed before its version may change. */
export interface UpgradeFacts {
  /**
   * etcd's own cluster version, `etcdcluster` of `/version`: the lowest minor that the members have in common.
   * Undefined if no member answered; then nothing that depends on it is allowed.
   */
  readonly clusterVersion: EtcdVersion | undefined;
  /** The oldest version of all members; the required patch is checked against it. @default `from` */
  readonly oldestRunning?: EtcdVersion;
}

/**
 * Whether and how a cluster may go from one version to another. Each verdict has a sentence for users.
 *
 * - `same`: nothing to do.
 * - `patch`: within a minor series, up or down; one member at a time.
 * - `minor`: one minor up; one member at a time, after the raft snapshot gate (operator rule 3).
 * - `rollback`: back to a version that still fits the cluster version; replacing binaries is enough.
 * - `downgrade`: one minor down by etcd's procedure (validate, enable, replace binaries one by one).
 * - `wait`: allowed later, when something has finished or is known.
 * - `refused`: never, for this pair.
 */
export type UpgradeVerdict =
  | { readonly kind: 'same'; readonly reason: string }
  | { readonly kind: 'patch'; readonly direction: 'up' | 'down'; readonly reason: string }
  | { readonly kind: 'minor'; readonly reason: string; readonly advice: string | undefined }
  | { readonly kind: 'rollback'; readonly reason: string }
  | { readonly kind: 'downgrade'; readonly target: string; readonly reason: string }
  | { readonly kind: 'wait'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** The patch that all members must run before an upgrade to the next minor. */
interface Floor {
  readonly from: EtcdVersion;
  readonly advised: EtcdVersion;
  readonly because: string;
}

const floors: readonly Floor[] = [
  {
    from: versionOf('3.5.26'),
    advised: versionOf('3.5.32'),
    because: 'removed members can reappear, and promoted members can turn back into learners, after the upgrade',
  },
  {
    from: versionOf('3.6.11'),
    advised: versionOf('3.6.11'),
    because: 'members cannot work together with members that no longer have the v2 store',
  },
];

/** The first version with a complete downgrade procedure. */
const firstDowngradable = versionOf('3.6.0');

/**
 * Whether a cluster whose newest member runs `from` may be changed to `to`. Every pair of versions has a verdict.
 *
 * Assumes that `from` is the newest version of all members, also during an earlier change.
 */
export function upgradeVerdict(from: EtcdVersion, to: EtcdVersion, facts: UpgradeFacts): UpgradeVerdict {
  if (!minorRelease(to))
    return { kind: 'refused', reason: `${supportOf(to).reason}, so it does not know whether the upgrade is safe` };
  if (isSameMinor(from, to)) return withinMinor(from, to, facts);
  return compareMinors(from, to) < 0 ? upwards(from, to, facts) : downwards(from, to, facts);
}

/** The minor series between two versions; empty if they are adjacent. */
export function minorsBetween(from: EtcdVersion, to: EtcdVersion): readonly string[] {
  const names: string[] = [];
  for (let minor = from.minor + 1; minor < to.minor; minor++) names.push(`${from.major}.${minor}`);
  return from.major === to.major ? names : [];
}

function withinMinor(from: EtcdVersion, to: EtcdVersion, facts: UpgradeFacts): UpgradeVerdict {
  const oldest = facts.oldestRunning ?? from;
  if (compareVersions(from, to) === 0 && compareVersions(oldest, to) === 0) {
    return { kind: 'same', reason: `all members run ${formatVersion(to)}` };
  }
  if (!isSameMinor(oldest, to)) return finishMinorStep(oldest, to, facts);
  const direction = compareVersions(oldest, to) < 0 ? 'up' : 'down';
  const reason = `${formatVersion(oldest)} to ${formatVersion(to)} stays within ${minorName(to)}`;
  return { kind: 'patch', direction, reason };
}

/**
 * For an upgrade in progress: the newest member runs the target series already, older members do not. The upgrade is
 * judged again, from its start.
 */
function finishMinorStep(oldest: EtcdVersion, to: EtcdVersion, facts: UpgradeFacts): UpgradeVerdict {
  return compareMinors(oldest, to) < 0
    ? upwards(oldest, to, { ...facts, oldestRunning: oldest })
    : {
        kind: 'wait',
        reason: `the versions of the members contradict each other: the oldest runs ${formatVersion(oldest)}, but the target is ${formatVersion(to)}; reading the versions again`,
      };
}

function upwards(from: EtcdVersion, to: EtcdVersion, facts: UpgradeFacts): UpgradeVerdict {
  if (from.major !== to.major || !isNextMinor(from, to)) {
    const through = minorsBetween(from, to).join(', then ');
    return {
      kind: 'refused',
      reason: `etcd cannot be upgraded from ${minorName(from)} to ${minorName(to)} directly, only one minor at a time. Upgrade to ${through} first`,
    };
  }
  const oldest = facts.oldestRunning ?? from;
  const { clusterVersion } = facts;
  if (!clusterVersion)
    return { kind: 'wait', reason: 'the cluster version is not known, because no member is reachable' };
  if (!isSameMinor(oldest, from) || compareMinors(clusterVersion, from) < 0) {
    return {
      kind: 'wait',
      reason: `the upgrade to ${minorName(from)} is not finished: the oldest member runs ${formatVersion(oldest)}, and the cluster version is ${minorName(clusterVersion)}`,
    };
  }
  const floor = floors.find((candidate) => isSameMinor(candidate.from, oldest));
  if (floor && !isAtLeast(oldest, floor.from)) {
    return {
      kind: 'refused',
      reason: `${formatVersion(oldest)} cannot be upgraded to ${minorName(to)}: before ${formatVersion(floor.from)}, ${floor.because}. Upgrade to ${formatVersion(floor.advised)} or newer first`,
    };
  }
  return {
    kind: 'minor',
    reason: `${minorName(to)} is the next minor after ${minorName(from)}`,
    advice:
      floor && !isAtLeast(oldest, floor.advised)
        ? `etcd's upgrade guide recommends ${formatVersion(floor.advised)} or newer before the upgrade to ${minorName(to)}`
        : undefined,
  };
}

function downwards(from: EtcdVersion, to: EtcdVersion, facts: UpgradeFacts): UpgradeVerdict {
  const { clusterVersion } = facts;
  const pair = `${minorName(from)} to ${minorName(to)}`;
  if (!clusterVersion)
    return { kind: 'wait', reason: 'the cluster version is not known, because no member is reachable' };
  if (compareMinors(clusterVersion, to) < 0) {
    return {
      kind: 'wait',
      reason: `the members have not agreed on the new cluster version yet; it is still ${minorName(clusterVersion)}`,
    };
  }
  if (isSameMinor(clusterVersion, to)) {
    // As after a cancelled downgrade, the cluster version will rise within seconds. Then the older version cannot start
    // any more.
    if (facts.oldestRunning && compareMinors(facts.oldestRunning, to) > 0)
      return {
        kind: 'wait',
        reason: `all members run ${minorName(facts.oldestRunning)} or newer, and the cluster version is still ${minorName(clusterVersion)}; waiting for it to follow`,
      };
    return {
      kind: 'rollback',
      reason: `the cluster version is still ${minorName(clusterVersion)}, so members can be rolled back to ${formatVersion(to)}`,
    };
  }
  if (!isNextMinor(to, from)) {
    return {
      kind: 'refused',
      reason: `etcd cannot be downgraded from ${pair}: that is more than one minor. Restore a backup into a new cluster instead`,
    };
  }
  if (!isAtLeast(from, firstDowngradable)) {
    return {
      kind: 'refused',
      reason: `etcd cannot be downgraded from ${pair}: the cluster version is ${minorName(clusterVersion)}, and only etcd 3.6 and newer can be downgraded. Restore a backup into a new cluster instead`,
    };
  }
  const oldest = facts.oldestRunning ?? from;
  if (!isSameMinor(oldest, from)) {
    return {
      kind: 'wait',
      reason: `a downgrade can begin only when all members run ${minorName(from)}; one member still runs ${formatVersion(oldest)}`,
    };
  }
  return {
    kind: 'downgrade',
    target: `${minorName(to)}.0`,
    reason: `etcd can be downgraded from ${pair}, one minor at a time`,
  };
}
