// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import { isMemberName } from '../../identity/member-naming.ts';
import type { Desired } from '../desired.ts';
import type { Answer, EtcdMember, MemberPod, MemberVolume, Observation } from '../observation.ts';
import type { Identity } from './identity/identify.ts';
import { type MemberHealth, memberHealth } from './member-health.ts';

/** A member as etcd lists it, together with its Kubernetes objects. */
export interface MemberView {
  readonly member: EtcdMember;
  readonly name: string;
  readonly pod: MemberPod | undefined;
  readonly volume: MemberVolume | undefined;
  readonly answer: Answer | undefined;
  readonly health: MemberHealth;
}

/** An observation with a valid spec and a recorded identity, arranged by etcd members. Most rules of the planner read it. */
export interface Assessment {
  readonly observation: Observation;
  readonly desired: Desired;
  readonly now: number;
  readonly incarnation: number;
  readonly clusterId: string;
  /** Sorted by name. Empty if the membership is unknown. */
  readonly members: readonly MemberView[];
  /** Members that this operator manages: all except unmanaged members. spec.size counts these. */
  readonly own: readonly MemberView[];
  readonly membershipKnown: boolean;
  /** Includes unmanaged voters, because they count for quorum. */
  readonly voters: readonly MemberView[];
  /** Managed learners only. */
  readonly learners: readonly MemberView[];
  /** Voters that answer, have a leader and are expected to stay. Voluntary steps may rely on them. */
  readonly healthyVoters: readonly MemberView[];
  /** Voters that answer and have a leader now, including those whose pod is being deleted. */
  readonly presentVoters: readonly MemberView[];
  /** How many voters must agree; 0 if the membership is unknown. */
  readonly quorum: number;
  /**
   * True if enough voters were reachable a moment ago. Unmanaged voters that have started count as reachable, because they took part in the
   * quorum that returned the member list.
   */
  readonly hasQuorum: boolean;
  /** The leader that most of the answering voters name. */
  readonly leader: MemberView | undefined;
  /** Pods of this incarnation of the cluster, by name. */
  readonly pods: ReadonlyMap<string, MemberPod>;
  readonly volumes: ReadonlyMap<string, MemberVolume>;
}

/** Combines by member name what the spec, Kubernetes and etcd say about a cluster whose identity is recorded. */
export function assess(
  observation: Observation,
  desired: Desired,
  identity: Extract<Identity, { kind: 'recorded' }>,
  now: number,
): Assessment {
  const isCurrent = (item: { ownership: 'ours' | 'other'; incarnation: number }) =>
    item.ownership === 'ours' && item.incarnation === identity.incarnation;
  const pods = byName(observation.pods.filter(isCurrent));
  const volumes = byName(observation.volumes.filter(isCurrent));
  const { membership } = observation.etcd;
  // The member list of another cluster shows nothing about this cluster.
  const isKnown = membership.kind === 'known' && membership.clusterId === identity.clusterId;
  const members = (isKnown ? membership.members : [])
    .map((member) => viewOf(member, { observation, desired, clusterId: identity.clusterId, now, pods, volumes }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.member.id, b.member.id));
  const voters = members.filter((view) => !view.member.isLearner);
  const own = members.filter((view) => view.health.kind !== 'unmanaged');
  const presentVoters = voters.filter((view) => isPresent(view, identity.clusterId));
  const needed = voters.length === 0 ? 0 : quorum(voters.length);
  return {
    observation,
    desired,
    now,
    incarnation: identity.incarnation,
    clusterId: identity.clusterId,
    members,
    own,
    membershipKnown: isKnown,
    voters,
    learners: own.filter((view) => view.member.isLearner),
    healthyVoters: voters.filter((view) => view.health.kind === 'healthy'),
    presentVoters,
    quorum: needed,
    hasQuorum: isKnown && presentVoters.length + startedUnmanaged(voters) >= needed,
    leader: leaderOf(voters),
    pods,
    volumes,
  };
}

interface MemberContext
  extends Pick<Assessment, 'observation' | 'desired' | 'clusterId' | 'now' | 'pods' | 'volumes'> {}

/** A pod or volume that has the name of the member, but records the ID of another member, belongs to an earlier member of the same name. */
function viewOf(listed: EtcdMember, context: MemberContext): MemberView {
  const { observation, desired, clusterId, now, pods, volumes } = context;
  const name = nameOf(listed, context);
  const member = { ...listed, podName: name };
  const isIts = (item: { readonly memberId: string } | undefined) =>
    item !== undefined && (item.memberId === '' || item.memberId === member.id);
  const pod = isIts(pods.get(name)) ? pods.get(name) : undefined;
  const volume = volumes.get(name);
  const answer = pod && observation.etcd.answers.get(name);
  const health = memberHealth({ member, pod, volume, answer, desired, now, clusterId, cluster: observation.cluster });
  return { member, name, pod, volume, answer, health };
}

/**
 * The name of a member's pod. It follows from the peer URL, unless the URL was changed. A pod that records the member's ID, or answers with
 * it, is the member's pod whatever the peer URL is, and must never be treated as left over from a removed member.
 */
function nameOf({ id, name, podName }: EtcdMember, { observation, clusterId, pods, volumes }: MemberContext): string {
  const recorded = [...pods.values(), ...volumes.values()].find((item) => item.memberId === id);
  if (recorded) return recorded.name;
  // These names are checked before the answers, because for a moment the address of a pod may lead to another pod of the cluster.
  if (pods.has(podName) || volumes.has(podName)) return podName;
  const [answering] = [...observation.etcd.answers].find(
    ([pod, answer]) =>
      answer.kind === 'status' && answer.memberId === id && answer.clusterId === clusterId && pods.has(pod),
  ) ?? [undefined];
  if (answering !== undefined) return answering;
  const isOurs = (text: string) => isMemberName(observation.cluster.name, text);
  return !isOurs(podName) && isOurs(name) ? name : podName;
}

/** True if the member itself answers now, with its own identity, and has a leader. */
export function isPresent({ answer, member }: Pick<MemberView, 'answer' | 'member'>, clusterId: string): boolean {
  return (
    answer?.kind === 'status' &&
    answer.memberId === member.id &&
    answer.clusterId === clusterId &&
    answer.leaderId !== ''
  );
}

/** The members as listed or, without a quorum, as a reachable member remembers them. Sorted by name. */
export function listedOrRemembered({ observation }: Assessment): readonly EtcdMember[] {
  const { membership } = observation.etcd;
  const members = membership.kind === 'known' ? membership.members : (membership.remembered ?? []);
  return members.toSorted((a, b) => (a.podName < b.podName ? -1 : 1));
}

function startedUnmanaged(voters: readonly MemberView[]): number {
  return voters.filter(({ health }) => health.kind === 'unmanaged' && health.hasStarted).length;
}

function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map([...items].sort((a, b) => compare(a.name, b.name)).map((item) => [item.name, item]));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
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
