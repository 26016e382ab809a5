// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '../../observation.ts';
import { type Check, isCurrent, isHealthy, listed, podOf, steps, voters } from './as-seen.ts';

const statusOf = (seen: Observation, podName: string) => {
  const answer = seen.etcd.answers.get(podName);
  return answer?.kind === 'status' ? answer : undefined;
};

/** Fault 18: before a leader is removed, leadership is moved to another voter, if there is a healthy voter. */
export const leadersHandOver: Check = (plan, seen) =>
  steps(plan, 'removeMember').flatMap(({ memberId, name, because }) => {
    const member = voters(seen).find(({ id }) => id === memberId);
    if (because !== 'scale' || !member || !isHealthy(plan, seen, member)) return [];
    const others = voters(seen).filter((other) => other.id !== memberId && isHealthy(plan, seen, other));
    // If the members disagree, the leader is not known.
    const isLeader = [member, ...others].every(({ podName }) => statusOf(seen, podName)?.leaderId === memberId);
    return isLeader && others.length > 0 ? [`leader ${name} is removed before it has handed over`] : [];
  });

/** Faults 13 and 14: a learner is promoted only when it has nine tenths of the leader's log; before that, etcd refuses. */
export const learnersHaveCaughtUp: Check = (plan, seen) =>
  steps(plan, 'promote').flatMap(({ memberId, name }) => {
    const leaders = voters(seen).filter(
      (voter) => isHealthy(plan, seen, voter) && statusOf(seen, voter.podName)?.leaderId === voter.id,
    );
    const reached = Math.max(0, ...leaders.map(({ podName }) => statusOf(seen, podName)?.raftAppliedIndex ?? 0));
    const applied = statusOf(seen, name)?.raftAppliedIndex ?? -1;
    const isListed = listed(seen).some(({ id, isLearner }) => id === memberId && isLearner);
    return isListed && applied < reached * 0.9 ? [`${name} is promoted before it has caught up`] : [];
  });

/**
 * Safety rule 1: a cluster ID is recorded only if a member of that cluster has a pod of this EtcdCluster, or if this cluster ID is already
 * recorded elsewhere.
 */
export const ownClusterIsRecorded: Check = (plan, seen) =>
  steps(plan, 'recordIdentity').flatMap(({ clusterId }) => {
    const { cluster, pods, volumes, etcd } = seen;
    const isOnRecord =
      [cluster.recordedInStatus, cluster.recordedInAnnotation].some((record) => record?.clusterId === clusterId) ||
      [...pods, ...volumes].some((item) => item.ownership === 'ours' && item.clusterId === clusterId);
    const isMember =
      etcd.membership.kind === 'known' &&
      etcd.membership.clusterId === clusterId &&
      etcd.membership.members.some(({ podName }) =>
        pods.some((pod) => pod.name === podName && pod.ownership === 'ours'),
      );
    return isOnRecord || isMember ? [] : [`cluster ${clusterId} is recorded, which lists no pod of ours`];
  });

/** Operator rule 25: the data of a removed member is deleted only when there are as many healthy voters as the spec asks for. */
export const volumesOutliveTheirReplacement: Check = (plan, seen) =>
  steps(plan, 'deleteVolume').flatMap(({ name }) => {
    const volume = seen.volumes.find((item) => item.name === name && isCurrent(plan, item));
    const { desired } = seen.cluster;
    if (!volume || volume.memberId === '' || 'problems' in desired || plan.identity.kind !== 'recorded') return [];
    const own = voters(seen).filter(({ podName }) => podOf(plan, seen, podName));
    const isComplete = own.length >= desired.size && own.every((voter) => isHealthy(plan, seen, voter));
    const isInTheWay = listed(seen).some((member) => member.podName === name && member.name === '');
    return isComplete || isInTheWay ? [] : [`volume ${name} goes before its replacement is proven`];
  });

/** Without a volume, the pod of a listed member that has started has the only copy of its data: this pod is kept until it has ended. */
export const onlyCopiesStay: Check = (plan, seen) =>
  steps(plan, 'deletePod').flatMap(({ name }) => {
    const pod = podOf(plan, seen, name);
    const isOver = pod?.phase === 'Failed' || pod?.phase === 'Succeeded';
    if (!pod || pod.data === 'claim' || isOver) return [];
    const isHeld = listed(seen).some(
      (member) => member.podName === name && member.name !== '' && (pod.memberId === '' || pod.memberId === member.id),
    );
    return isHeld ? [`pod ${name} goes with the only copy of a member's data`] : [];
  });

/** Safety rule 10: the pod of a healthy member is deleted only if the step names the pod that replaces it, which is checked first. */
export const healthyPodsHaveSuccessors: Check = (plan, seen) =>
  steps(plan, 'deletePod').flatMap(({ name, successor }) => {
    const voter = voters(seen).find((member) => member.podName === name && isHealthy(plan, seen, member));
    const isNamed = successor?.name === name && successor.memberId === voter?.id && successor.boot === 'cleared';
    return voter && !isNamed ? [`pod ${name} of a healthy voter goes, and nobody knows whether it can come back`] : [];
  });

/** Operator rule 25: a pod is deleted without waiting for its process only if its node cannot run processes any more. */
export const forcedWhereNothingRuns: Check = (plan, seen) =>
  steps(plan, 'deletePod').flatMap(({ name, force }) => {
    const node = seen.nodes.get(podOf(plan, seen, name)?.node ?? '');
    const isLost = node !== undefined && (!node.exists || node.outOfService);
    return force && !isLost ? [`pod ${name} is deleted by force, and its process may go on`] : [];
  });

/**
 * Safety rule 5: if spec.size is lowered, a voter that does not serve is removed before a voter that serves. Voters that are to be replaced
 * anyway are removed first.
 */
export const theSickGoFirst: Check = (plan, seen) =>
  steps(plan, 'removeMember').flatMap(({ memberId, name, because }) => {
    const victim = voters(seen).find(({ id }) => id === memberId);
    const pod = podOf(plan, seen, name);
    const isKeptOtherwise = pod?.ready && pod.drift.length === 0 && seen.nodes.get(pod.node)?.schedulable !== false;
    if (because !== 'scale' || !isKeptOtherwise || !victim || !isHealthy(plan, seen, victim)) return [];
    const sick = voters(seen).filter((other) => {
      const otherPod = podOf(plan, seen, other.podName);
      return otherPod && !otherPod.ready && !isHealthy(plan, seen, other);
    });
    return sick.map(({ podName }) => `${name} is healthy and is removed, and ${podName} stays`);
  });

/** Safety rule 7: a cluster is recovered automatically only if no majority of voters can return, and no missing member can still run. */
export function isGoneForGood(seen: Observation, lost: readonly string[]): boolean {
  const { cluster, etcd, pods, volumes, nodes } = seen;
  if ('problems' in cluster.desired || cluster.desired.quorumLoss !== 'Automatic') return false;
  const { membership } = etcd;
  const all = (membership.kind === 'unknown' ? (membership.remembered ?? []) : []).filter(
    ({ isLearner }) => !isLearner,
  );
  const missing = all.filter(({ podName }) => lost.includes(podName));
  const rest = all.filter(({ podName }) => !lost.includes(podName));
  const isWaiting = ({ podName }: { readonly podName: string }) => statusOf(seen, podName)?.leaderId === '';
  const mayRun = (name: string) => {
    const pod = pods.find((item) => item.name === name);
    const node = pod?.node ?? cluster.lastMembers?.find((member) => member.name === name)?.node ?? '';
    const facts = nodes.get(node);
    const isLost = facts && (!facts.exists || facts.outOfService);
    return pod ? !isLost : !isLost && facts?.ready !== true;
  };
  return (
    rest.length > 0 &&
    rest.length < all.length / 2 + (all.length % 2 === 0 ? 1 : 0) &&
    missing.length + rest.length === all.length &&
    rest.every(isWaiting) &&
    !pods.some(({ ready }) => ready) &&
    lost.every((name) => !volumes.some((volume) => volume.name === name) && !mayRun(name))
  );
}
