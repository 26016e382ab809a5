// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import type { Observation } from '../observation.ts';
import type { Assessment, MemberView } from '../plan/assessment.ts';
import type { MemberHealth } from '../plan/member-health.ts';

type MemberDetail = NonNullable<EtcdClusterStatus['memberDetails']>[number];

/** How each member is. While nobody can tell who the members are, those last known, and what is seen of them. */
export function memberDetails(
  previous: EtcdClusterStatus | undefined,
  observation: Observation,
  { membershipKnown, members, leader, clusterId }: Assessment,
): readonly MemberDetail[] {
  if (membershipKnown) return members.map((view) => detailOf(view, leader));
  return (previous?.memberDetails ?? []).map((last) => ({
    ...last,
    role: last.role === 'Learner' ? 'Learner' : 'Unknown',
    healthy: false,
    reason: whyUnconfirmed(observation, last.name, clusterId),
  }));
}

function detailOf(view: MemberView, leader: MemberView | undefined): MemberDetail {
  const { answer, health, member, name } = view;
  const why = whyUnhealthy(health);
  return {
    name,
    id: member.id,
    role: roleOf(view, leader),
    healthy: health.kind === 'healthy',
    ...(answer?.kind === 'status' && {
      version: answer.version,
      revision: answer.revision,
      databaseSize: answer.dbSize,
    }),
    ...(why !== '' && { reason: why }),
  };
}

function roleOf(view: MemberView, leader: MemberView | undefined): NonNullable<MemberDetail['role']> {
  if (view.member.isLearner) return 'Learner';
  if (view === leader) return 'Leader';
  return view.answer?.kind === 'status' ? 'Follower' : 'Unknown';
}

function whyUnhealthy(health: MemberHealth): string {
  switch (health.kind) {
    case 'healthy':
      return '';
    case 'starting':
    case 'silent':
      return health.why;
    case 'lost':
    case 'mismatched':
      return health.evidence;
    case 'leaderless':
      return 'reachable, no leader';
    case 'unstarted':
      return 'it was added and has not started';
    case 'podGone':
    case 'podEnding':
      return 'it comes back on its volume';
    case 'leaving':
      return 'its pod is being deleted';
    case 'stranger':
      return 'it was added by somebody else';
  }
}

function whyUnconfirmed({ etcd, pods }: Observation, name: string, clusterId: string): string {
  const answer = etcd.answers.get(name);
  if (answer?.kind === 'status' && answer.clusterId !== clusterId)
    return `it answers as a member of another cluster (${answer.clusterId})`;
  if (answer?.kind === 'status') return 'reachable, no leader';
  if (!pods.some((pod) => pod.name === name)) return 'its pod is gone';
  return answer?.kind === 'silent' ? answer.why : 'it does not answer yet';
}
