// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { later, type Proposal, take, waitFor } from './proposal.ts';

/**
 * Removes one member too many: learners first, then unhealthy ones, then outdated ones, never the leader if there is a
 * choice. Leadership is moved away before a leader is removed (operator rules 7 and 14).
 */
export function shrink(assessment: Assessment, target: number): Proposal | undefined {
  const { members, voters, healthyVoters } = assessment;
  if (members.length <= target) return undefined;
  const victim = chooseVictim(assessment);
  if (!victim) return undefined;
  const remaining = healthyVoters.filter((view) => view !== victim);
  if (!victim.member.isLearner && remaining.length < quorum(voters.length - 1)) {
    return waitFor(`${victim.name} is to be removed, but the remaining voters would not be a quorum`, later);
  }
  return (
    moveLeadershipFrom(assessment, victim, 'it is about to be removed') ??
    take(
      { do: 'removeMember', memberId: victim.member.id, name: victim.name, because: 'scale' },
      `${victim.name} leaves: the cluster has ${members.length} members and should have ${target}`,
    )
  );
}

function chooseVictim({ members, leader }: Assessment): MemberView | undefined {
  const rank = (view: MemberView): readonly number[] => [
    view.member.isLearner ? 0 : 1,
    view.health.kind === 'healthy' ? 1 : 0,
    view.pod?.drift.some((item) => item.remedy === 'replace') || view.pod?.adopted ? 0 : 1,
    view === leader ? 1 : 0,
    -(view.pod?.createdAt ?? 0),
  ];
  return [...members].sort((a, b) => compareRanks(rank(a), rank(b)) || (a.name < b.name ? -1 : 1))[0];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A step that makes another healthy voter the leader, if `view` is the leader and there is somebody to take over. */
export function moveLeadershipFrom(
  { leader, healthyVoters }: Assessment,
  view: MemberView,
  because: string,
): Proposal | undefined {
  if (leader !== view || view.health.kind !== 'healthy') return undefined;
  const [heir] = healthyVoters
    .filter((other) => other !== view)
    .sort((a, b) => needsWork(a) - needsWork(b) || progress(b) - progress(a));
  if (!heir) return undefined;
  return take(
    { do: 'moveLeader', from: view.member.id, to: heir.member.id, toName: heir.name },
    `${view.name} leads the cluster and ${because}: ${heir.name} takes over`,
  );
}

function needsWork({ pod }: MemberView): number {
  return pod === undefined || pod.drift.length > 0 ? 1 : 0;
}

function progress({ answer }: MemberView): number {
  return answer?.kind === 'status' ? answer.raftAppliedIndex : 0;
}
