// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { isReady, mustBeReplaced } from './dead-member.ts';
import { differsFromSpec } from './drift.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { later, type Proposal, take, waitFor } from './proposal.ts';
import { needSurge } from './replace.ts';

/**
 * Removes one member too many: learners first, then unhealthy ones, then outdated ones, never the leader if there is a
 * choice. Leadership is moved away before a leader is removed (operator rules 7 and 14).
 */
export function shrink(assessment: Assessment, target: number): Proposal | undefined {
  const { own, voters, healthyVoters } = assessment;
  const victim = chooseVictim(assessment, target);
  if (!victim) return undefined;
  const remaining = healthyVoters.filter((view) => view !== victim);
  if (!victim.member.isLearner && remaining.length < quorum(voters.length - 1)) {
    return waitFor(`${victim.name} is to be removed, but the remaining voters would not be a quorum`, later);
  }
  return (
    moveLeadershipFrom(assessment, victim, 'it is about to be removed') ??
    take(
      { do: 'removeMember', memberId: victim.member.id, name: victim.name, because: 'scale' },
      `${victim.name} leaves: the cluster has ${own.length} members and should have ${target}`,
    )
  );
}

/**
 * Removes a member too many that is not well, before anything is spent on healing it (checklist 47). Undefined if the one to
 * go is well, or cannot go yet.
 */
export function shrinkUnhealthy(assessment: Assessment, target: number): Proposal | undefined {
  const victim = chooseVictim(assessment, target);
  if (!victim || (victim.health.kind === 'healthy' && !victim.member.isLearner)) return undefined;
  const proposal = shrink(assessment, target);
  return proposal && proposal.steps.length > 0 ? proposal : undefined;
}

/** Members that are on their way out, whatever size is asked for: dead ones, and those that a surge replaces. */
function membersDue(assessment: Assessment): readonly MemberView[] {
  const surged = needSurge(assessment);
  return assessment.own.filter((view) => surged.includes(view) || mustBeReplaced(assessment, view));
}

/** True if somebody asked for fewer members: those that are replaced anyway do not explain that there are too many. */
export function isScaleInAsked(assessment: Assessment): boolean {
  return assessment.own.length - membersDue(assessment).length > assessment.desired.size;
}

/** Undefined if nobody has to go. Whoever is Ready counts as well, also while only the operator cannot reach it. */
function chooseVictim(assessment: Assessment, target: number): MemberView | undefined {
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
