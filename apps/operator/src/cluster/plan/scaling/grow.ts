// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { isStuck } from '../healing/stuck-pod.ts';
import { join, whyNoLearnerFits } from '../joining/join.ts';
import { isUp } from '../joining/learner-progress.ts';
import { promoteNext } from '../joining/promote.ts';
import { type Proposal, take } from '../proposal.ts';
import { makeWayForJoining } from '../rolling/downgrade.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';

/** How long a joining member may take to start before it is removed and another one is added. Voters are never touched by that. */
const joinLimit = 600_000;
/** The same for one that is up and receives the data: a large database on a slow disk takes its time. */
const catchUpLimit = 3_600_000;

/**
 * Brings learners up and makes them voters, and adds members up to `target`. While the seed is the only voter, all others
 * join side by side and are promoted at the end; later one at a time (operator rules 2, 9, 24).
 */
export function grow(assessment: Assessment, target: number): Proposal | undefined {
  const { own, learners } = assessment;
  return (
    (learners.some(({ answer }) => answer?.kind !== 'status') ? makeWayForJoining(assessment) : undefined) ??
    removeStuckLearner(assessment) ??
    addBesideLearners(assessment, target) ??
    promoteNext(assessment, target) ??
    (own.length < target && learners.length === 0 ? join(assessment, `(${own.length + 1} of ${target})`) : undefined)
  );
}

/** True if all that growth waits for are pods that will not come up by themselves: other work need not wait for them. */
export function isGrowthStuck({ learners }: Assessment): boolean {
  return learners.length > 0 && learners.every(({ pod, answer }) => pod && isStuck(pod) && answer?.kind !== 'status');
}

/** A learner that cannot come up or never catches up is taken out and joins afresh; it does not count for quorum. */
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
  // A joiner names every member in its list and waits for each name to resolve: none may be missing when it starts.
  if (!members.every(isUp)) return undefined;
  return join(assessment, `(${own.length + 1} of ${target})`);
}
