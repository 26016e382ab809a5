// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import { counted } from '../../../counted.ts';
import type { MemberPod } from '../../observation.ts';
import { type Assessment, listedOrRemembered } from '../assessment.ts';
import { isEtcdReady } from '../member-health.ts';

/**
 * Pods that are Ready although the operator cannot reach them. Empty if all Ready pods together, reachable or not, are fewer than a quorum.
 * The kubelet's readiness probe is a linearizable read, so a quorum of Ready pods shows that the cluster serves and only the operator is
 * cut off.
 */
function readyButUnreachable(assessment: Assessment): readonly MemberPod[] {
  const { pods, volumes, observation } = assessment;
  const answerOf = ({ name }: MemberPod) => observation.etcd.answers.get(name);
  const ready = [...pods.values()].filter((pod) => {
    const answer = answerOf(pod);
    // The member says that it has no leader, and its answer is newer than the last readiness probe.
    if (answer?.kind === 'status' && answer.leaderId === '') return false;
    return isEtcdReady(pod) && !pod.terminating && observation.nodes.get(pod.node)?.ready !== false;
  });
  const listed = listedOrRemembered(assessment).filter((member) => !member.isLearner).length;
  const recorded = new Set(
    [...pods.values(), ...volumes.values()].filter(({ memberId }) => memberId !== '').map(({ memberId }) => memberId),
  );
  const voters = listed > 0 ? listed : recorded.size;
  if (voters === 0 || ready.length < quorum(voters)) return [];
  return ready.filter((pod) => answerOf(pod)?.kind !== 'status');
}

/**
 * True if etcd has a quorum, and only the operator reaches too few members. A linearizable member list that was just read shows this as
 * well.
 */
export function isCutOff(assessment: Assessment): boolean {
  return readyButUnreachable(assessment).length > 0 || hasJustServed(assessment);
}

function hasJustServed({ membershipKnown, presentVoters }: Assessment): boolean {
  return membershipKnown && presentVoters.length > 0;
}

/** Says which members the operator cannot reach, and what to check. */
export function describeUnreachable(assessment: Assessment): string {
  const { observation, voters, quorum: needed, presentVoters } = assessment;
  const ready = readyButUnreachable(assessment);
  if (ready.length === 0) {
    const missing = voters.filter((view) => !presentVoters.includes(view)).map(({ name }) => name);
    return (
      `The operator can reach ${presentVoters.length} of ${counted(voters.length, 'voter')} and needs ${needed} to change anything; not ` +
      `reachable: ${missing.join(', ')}. etcd has a quorum: it has just served a linearizable read. Do not restore a backup.`
    );
  }
  const told = ready.map(({ name }) => {
    const answer = observation.etcd.answers.get(name);
    return `pod/${name}${answer?.kind === 'unreachable' ? ` (${answer.why.slice(0, 100)})` : ''}`;
  });
  return (
    `The operator cannot reach ${told.join(', ')}, although Kubernetes reports ${told.length === 1 ? 'this pod' : 'these pods'} Ready, so clients can probably still use the cluster. ` +
    "Check network policies and the operator's client certificate. The operator changes nothing until it reaches enough members. Do not restore a backup."
  );
}
