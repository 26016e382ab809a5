// SPDX-License-Identifier: Apache-2.0
import { formatId, type MemberStatus } from '@operator-parts/etcd';
import type { Answer, Membership } from '../observation.ts';
import type { MemberTarget } from './member-pool.ts';

/** True if the member that answers at this address is not the member that is recorded for it. */
export function isStray(target: MemberTarget, { clusterId, memberId }: MemberStatus): boolean {
  if (!target.clusterId || !target.memberId) return false;
  return formatId(clusterId) !== target.clusterId || formatId(memberId) !== target.memberId;
}

/**
 * Leaves out members of other clusters, so that they are not asked for the member list of this cluster. If only members of other clusters
 * answer, nothing is left out.
 */
export function withoutStrays(
  targets: readonly MemberTarget[],
  statuses: ReadonlyMap<string, MemberStatus>,
): ReadonlyMap<string, MemberStatus> {
  const expected = new Map(targets.map((target) => [target.podName, target.clusterId]));
  const own = [...statuses].filter(([name, status]) => formatId(status.clusterId) === expected.get(name));
  return own.length > 0 ? new Map(own) : statuses;
}

/** True for a voter that does not answer, has no leader, or answers as another member. A joining member does not count. */
export function isUnhealthyVoter({ memberId }: MemberTarget, answer: Answer | undefined): boolean {
  if (!memberId) return false;
  return answer?.kind !== 'status' || answer.leaderId === '' || answer.memberId !== memberId;
}

/** True if a listed voter has not answered, whether it has a pod or not. Unmanaged voters never answer. */
export function isAnyVoterUnanswered(membership: Membership, answers: ReadonlyMap<string, Answer>): boolean {
  if (membership.kind === 'unknown') return false;
  const answered = new Set(
    [...answers.values()].flatMap((answer) => (answer.kind === 'status' ? answer.memberId : [])),
  );
  return membership.members.some(({ id, isLearner }) => !isLearner && !answered.has(id));
}
