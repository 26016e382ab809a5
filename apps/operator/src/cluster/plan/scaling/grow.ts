// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { isStuck } from '../healing/stuck-pod.ts';
import { join, whyNoLearnerFits } from '../joining/join.ts';
import { isUp } from '../joining/learner-progress.ts';
import { promoteNext } from '../joining/promote.ts';
import { type Proposal, take } from '../proposal.ts';
import { cancelDowngradeForJoin } from '../rolling/downgrade.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';

/** How long a joining member may take to start before it is removed and another one is added. Voters are never removed for this reason. */
const joinLimit = 600_000;
/** The same limit for a member that runs and receives the data: a large database on a slow disk takes long. */
const catchUpLimit = 3_600_000;

/**
 * Starts learners, promotes them to voters, and adds members up to `target`. While the seed is the only voter, all other members join at
 * the same time and are promoted at the end; later, members join one at a time (operator rules 2, 9, 24).
 */
export function grow(assessment: Assessment, target: number): Proposal | undefined {
  const { own, learners } = assessment;
  return (
    (learners.some(({ answer }) => answer?.kind !== 'status') ? cancelDowngradeForJoin(assessment) : undefined) ??
    removeStuckLearner(assessment) ??
    addBesideLearners(assessment, target) ??
    promoteNext(assessment, target) ??
    (own.length < target && learners.length === 0 ? join(assessment, `(${own.length + 1} of ${target})`) : undefined)
  );
}

/** True if all joining members have pods that cannot start without a change, so that other work does not wait for them. */
export function isGrowthStuck({ learners }: Assessment): boolean {
  return learners.length > 0 && learners.every(({ pod, answer }) => pod && isStuck(pod) && answer?.kind !== 'status');
}

/** Removes a learner that cannot start or never catches up, so that a new one can join. A learner does not count for quorum. */
function removeStuckLearner({ learners, now }: Assessment): Proposal | undefined {
  for (const { member, name, pod, answer } of learners) {
    const limit = answer?.kind === 'status' ? catchUpLimit : joinLimit;
    if (!pod || now - Math.max(pod.seenSince, member.seenSince) <= limit) continue;
    return take(
      { do: 'removeMember', memberId: member.id, name, because: 'dead' },
      `Removing learner ${name}: it has not caught up within ${limit / 60_000} min. It is added again afterwards.`,
    );
  }
  return undefined;
}

function addBesideLearners(assessment: Assessment, target: number): Proposal | undefined {
  const { members, own, learners, voters } = assessment;
  if (learners.length === 0 || own.length >= target || voters.length !== 1) return undefined;
  if (whyNoLearnerFits(assessment, releaseForNewMember(assessment)) !== undefined) return undefined;
  // A joining member waits until every name in its member list resolves, so all listed members must run when it starts.
  if (!members.every(isUp)) return undefined;
  return join(assessment, `(${own.length + 1} of ${target})`);
}
