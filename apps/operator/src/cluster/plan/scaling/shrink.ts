// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import { counted, isOrAre } from '../../../counted.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { isReady, mustBeReplaced } from '../healing/dead-member.ts';
import { later, type Proposal, take, waitFor } from '../proposal.ts';
import { differsFromSpec } from '../rolling/drift.ts';
import { moveLeadershipFrom } from '../rolling/leadership.ts';
import { membersToReplace } from '../rolling/replace.ts';

/**
 * Removes one surplus member: learners first, then members that are to be replaced anyway, then unhealthy members, then outdated members;
 * among equal members, a follower before the leader. Leadership is moved before a leader is removed (operator rules 7 and 14).
 */
export function shrink(assessment: Assessment, target: number): Proposal | undefined {
  const { own, voters, healthyVoters } = assessment;
  const victim = memberToRemove(assessment, target);
  if (!victim) return undefined;
  const remaining = healthyVoters.filter((view) => view !== victim);
  if (!victim.member.isLearner && remaining.length < quorum(voters.length - 1)) {
    return waitFor(
      `Waiting to remove member ${victim.name}: the remaining healthy voters would not be a quorum.`,
      later,
    );
  }
  return (
    moveLeadershipFrom(assessment, victim, 'is about to be removed') ??
    take(
      { do: 'removeMember', memberId: victim.member.id, name: victim.name, because: 'scale' },
      `Removing member ${victim.name}: the cluster has ${counted(own.length, 'member')}, ${target} ${isOrAre(target)} wanted.`,
    )
  );
}

/**
 * Removes a surplus member that is not healthy, before the operator tries to repair it (checklist 47). Undefined if the member to remove is
 * healthy, or cannot be removed yet.
 */
export function shrinkUnhealthy(assessment: Assessment, target: number): Proposal | undefined {
  const victim = memberToRemove(assessment, target);
  if (!victim || (victim.health.kind === 'healthy' && !victim.member.isLearner)) return undefined;
  const proposal = shrink(assessment, target);
  return proposal && proposal.steps.length > 0 ? proposal : undefined;
}

/** Members that are to be removed whatever the wanted size is: dead members, and members whose replacement is added first. */
function membersDue(assessment: Assessment): readonly MemberView[] {
  const toReplace = membersToReplace(assessment);
  return assessment.own.filter((view) => toReplace.includes(view) || mustBeReplaced(assessment, view));
}

/** True if the spec asks for fewer members: there are too many members, even without those that are being replaced. */
export function isScaleInAsked(assessment: Assessment): boolean {
  return assessment.own.length - membersDue(assessment).length > assessment.desired.size;
}

/**
 * Undefined if no member has to be removed. A member whose pod is Ready is treated like a healthy member, even if the operator cannot reach
 * it.
 */
function memberToRemove(assessment: Assessment, target: number): MemberView | undefined {
  const { own, leader } = assessment;
  if (own.length <= target) return undefined;
  const due = membersDue(assessment);
  const isWell = (view: MemberView) => view.health.kind === 'healthy' || isReady(assessment, view);
  const rank = (view: MemberView): readonly number[] => [
    view.member.isLearner ? 0 : 1,
    due.includes(view) ? 0 : 1,
    isWell(view) ? 1 : 0,
    differsFromSpec(assessment, view) ? 0 : 1,
    view === leader ? 1 : 0,
    -(view.pod?.createdAt ?? 0),
  ];
  return [...own].sort((a, b) => compareRanks(rank(a), rank(b)) || (a.name < b.name ? -1 : 1))[0];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
