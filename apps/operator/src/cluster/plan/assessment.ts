// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { Desired } from '../desired.ts';
import type { Answer, EtcdMember, MemberPod, MemberVolume, Observation } from '../observation.ts';
import type { Identity } from './identity.ts';
import { type MemberHealth, memberHealth } from './member-health.ts';

/** A member as etcd lists it, joined with what Kubernetes has for it. */
export interface MemberView {
  readonly member: EtcdMember;
  readonly name: string;
  readonly pod: MemberPod | undefined;
  readonly volume: MemberVolume | undefined;
  readonly answer: Answer | undefined;
  readonly health: MemberHealth;
}

/** An observation with a valid spec and a latched identity, looked at from etcd's side. What most rules decide on. */
export interface Assessment {
  readonly observation: Observation;
  readonly desired: Desired;
  readonly now: number;
  readonly incarnation: number;
  readonly clusterId: string;
  /** In the order of their names. Empty if membership is unknown. */
  readonly members: readonly MemberView[];
  readonly membershipKnown: boolean;
  readonly voters: readonly MemberView[];
  readonly learners: readonly MemberView[];
  readonly healthyVoters: readonly MemberView[];
  /** Voters that must agree. 0 if membership is unknown. */
  readonly quorum: number;
  /** The leader, as most answering voters name it. */
  readonly leader: MemberView | undefined;
  /** Pods of this life of the cluster, by name. */
  readonly pods: ReadonlyMap<string, MemberPod>;
  readonly volumes: ReadonlyMap<string, MemberVolume>;
}

/** Joins the three views of a latched cluster by member name. */
export function assess(
  observation: Observation,
  desired: Desired,
  identity: Extract<Identity, { kind: 'latched' }>,
  now: number,
): Assessment {
  const isCurrent = (item: { ownership: 'ours' | 'other'; incarnation: number }) =>
    item.ownership === 'ours' && item.incarnation === identity.incarnation;
  const pods = new Map(observation.pods.filter(isCurrent).map((pod) => [pod.name, pod]));
  const volumes = new Map(observation.volumes.filter(isCurrent).map((volume) => [volume.name, volume]));
  const { membership, answers } = observation.etcd;
  const listed = membership.kind === 'known' ? membership.members : [];
  const members = listed
    .map((member): MemberView => {
      const pod = pods.get(member.podName);
      const volume = volumes.get(member.podName);
      const answer = answers.get(member.podName);
      const health = memberHealth({ member, pod, volume, answer, desired, now, clusterId: identity.clusterId });
      return { member, name: member.podName, pod, volume, answer, health };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const voters = members.filter((view) => !view.member.isLearner);
  return {
    observation,
    desired,
    now,
    incarnation: identity.incarnation,
    clusterId: identity.clusterId,
    members,
    membershipKnown: membership.kind === 'known',
    voters,
    learners: members.filter((view) => view.member.isLearner),
    healthyVoters: voters.filter((view) => view.health.kind === 'healthy'),
    quorum: voters.length === 0 ? 0 : quorum(voters.length),
    leader: leaderOf(voters),
    pods,
    volumes,
  };
}

function leaderOf(voters: readonly MemberView[]): MemberView | undefined {
  const votes = new Map<string, number>();
  for (const { answer } of voters) {
    if (answer?.kind !== 'status' || answer.leaderId === '') continue;
    votes.set(answer.leaderId, (votes.get(answer.leaderId) ?? 0) + 1);
  }
  const [winner] = [...votes].sort((a, b) => b[1] - a[1]);
  return winner && voters.find((view) => view.member.id === winner[0]);
}
