// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import type { MemberPod, Observation } from '../observation.ts';
import type { Assessment, MemberView } from '../plan/assessment.ts';
import type { MemberHealth } from '../plan/member-health.ts';

type MemberDetail = NonNullable<EtcdClusterStatus['memberDetails']>[number];

/**
 * The state of each member. While the member list cannot be read, the members that were last known are reported with their last revision,
 * because a restore must not continue at an older revision.
 */
export function memberDetails(
  previous: EtcdClusterStatus | undefined,
  observation: Observation,
  { membershipKnown, members, leader, clusterId, pods }: Assessment,
): readonly MemberDetail[] {
  const last = previous?.memberDetails ?? [];
  if (membershipKnown)
    return members.map((view) => ({ ...detailOf(view, leader), ...nodeOf(view.name, view.pod, last) }));
  return last.map((detail) => ({
    ...detail,
    ...nodeOf(detail.name, pods.get(detail.name), last),
    role: detail.role === 'Learner' ? 'Learner' : 'Unknown',
    healthy: false,
    reason: whyUnconfirmed(observation, detail.name, clusterId),
  }));
}

/**
 * The node on which the member's pod runs or last ran. If the pod is gone, the state of this node shows whether the process of the member
 * may still run.
 */
function nodeOf(name: string, pod: MemberPod | undefined, last: readonly MemberDetail[]): Pick<MemberDetail, 'node'> {
  const node = pod?.node || last.find((detail) => detail.name === name)?.node;
  return node ? { node } : {};
}

/** Members that a restore replaces. They exist until the restore has succeeded, but clients no longer reach them. */
export function replacedMembers(previous: EtcdClusterStatus | undefined): readonly MemberDetail[] {
  const reason = 'member of the cluster from before the restore; the restore replaces this member';
  return (previous?.memberDetails ?? []).map((last) => ({ ...last, role: 'Unknown', healthy: false, reason }));
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
    case 'unreachable':
      return health.why;
    case 'lost':
    case 'mismatched':
      return health.evidence;
    case 'leaderless':
      return 'reachable, no leader';
    case 'unstarted':
      return 'added, not started yet';
    case 'podGone':
    case 'podEnding':
      return 'restarting on its volume';
    case 'leaving':
      return 'its pod is being deleted';
    case 'unmanaged':
      return 'unmanaged: not created by this operator';
  }
}

function whyUnconfirmed({ etcd, pods }: Observation, name: string, clusterId: string): string {
  const answer = etcd.answers.get(name);
  if (answer?.kind === 'status' && answer.clusterId !== clusterId)
    return `it answers as a member of another cluster (${answer.clusterId})`;
  if (answer?.kind === 'status') return 'reachable, no leader';
  if (!pods.some((pod) => pod.name === name)) return 'its pod is gone';
  return answer?.kind === 'unreachable' ? answer.why : 'not reachable yet';
}
