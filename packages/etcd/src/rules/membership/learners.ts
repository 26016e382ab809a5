// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, isAtLeast, versionOf } from '../versions/version.ts';

/** The facts about one member for counting learners. */
export interface LearnerContext {
  readonly version: EtcdVersion;
  /** True if we started its process with a higher `ETCD_MAX_LEARNERS`, according to its pod's spec. */
  readonly raisedMaxLearners: boolean;
}

/** The value of `ETCD_MAX_LEARNERS` of all members that we create: it must be the same on all (etcd fact 12). */
export const raisedMaxLearners = 7;

const learnersSafeIn35 = versionOf('3.5.20');
const learnersSafeFrom = versionOf('3.6.0');
const learnersExistFrom = versionOf('3.4.0');

/** True if the version supports learners, safely or not. */
export function knowsLearners(version: EtcdVersion): boolean {
  return isAtLeast(version, learnersExistFrom);
}

/**
 * True if members should join as learners: from 3.5.20 and from 3.6.0 on (operator rule 12). With older versions,
 * members join as voters, one at a time: etcd stores a promotion incorrectly there, or learners have little benefit.
 */
export function joinsAsLearner(version: EtcdVersion): boolean {
  if (isAtLeast(version, learnersSafeFrom)) return true;
  return isAtLeast(version, learnersSafeIn35) && version.minor === 5;
}

/**
 * How many learners a cluster may have at once, including the new one (operator rule 2). Every member checks the limit
 * itself when it applies the change, so a second learner is fatal if a single member runs with the default.
 *
 * Assumes that `members` contains all members, including the one that is about to join. 0 for versions without
 * learners.
 */
export function learnersAllowed(members: readonly LearnerContext[]): number {
  if (members.length === 0 || !members.every(({ version }) => knowsLearners(version))) return 0;
  const allRaised = members.every((member) => member.raisedMaxLearners && isAtLeast(member.version, learnersSafeFrom));
  return allRaised ? raisedMaxLearners : 1;
}
