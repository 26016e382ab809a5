// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import { type Assessment, listedOrRemembered } from '../assessment.ts';
import { isOnLostNode } from './lost-node.ts';

/** What is known about a voter of a cluster without a quorum. */
export type VoterState =
  /** The member answers with its own identity and has no leader: its data still exists. */
  | { readonly kind: 'left'; readonly revision: number; readonly leaderlessSince: number }
  /** The data of the member is gone, and no process of the member can still run. */
  | { readonly kind: 'gone'; readonly evidence: string }
  /** The member may return, or it is not known whether it can. `why` is a clause. */
  | { readonly kind: 'mayReturn'; readonly why: string };

export interface LostVoter {
  readonly name: string;
  readonly state: VoterState;
}

/**
 * The state of each voter, sorted by name. The voters are those that a remaining member remembers. This member may have missed the last
 * change of the member list. So voters in the last reported status, and voters whose pods or volumes exist, are added. Empty if no member
 * can be asked.
 */
export function lostVoters(assessment: Assessment): readonly LostVoter[] {
  const { observation, pods, volumes, clusterId } = assessment;
  const remembered = listedOrRemembered(assessment);
  if (remembered.length === 0) return [];
  const learners = new Set(remembered.filter(({ isLearner }) => isLearner).map(({ podName }) => podName));
  const voters = remembered.filter(({ isLearner }) => !isLearner).map(({ podName, id }) => ({ name: podName, id }));
  const isNew = ({ name }: { readonly name: string }) =>
    !learners.has(name) && !voters.some((voter) => voter.name === name);
  const reported = (observation.cluster.lastMembers ?? []).filter((member) => isNew(member) && !member.isLearner);
  const found = [...pods.values(), ...volumes.values()]
    .filter((item) => isNew(item) && item.memberId !== '' && (item.clusterId === '' || item.clusterId === clusterId))
    .map(({ name, memberId }) => ({ name, id: memberId }));
  const all = new Map([...found, ...reported, ...voters].map(({ name, id }) => [name, id]));
  return [...all]
    .map(([name, id]) => ({ name, state: stateOf(assessment, name, id) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** How many voters the remaining members remember. */
export function recordedVoterCount(assessment: Assessment): number {
  return listedOrRemembered(assessment).filter(({ isLearner }) => !isLearner).length;
}

function stateOf(assessment: Assessment, name: string, id: string): VoterState {
  const { observation, pods, clusterId } = assessment;
  const pod = pods.get(name);
  const answer = observation.etcd.answers.get(name);
  if (pod && answer?.kind === 'status') {
    if (answer.memberId !== id || answer.clusterId !== clusterId)
      return mayReturn(`pod/${name} answers as another member`);
    if (answer.leaderId !== '') return mayReturn(`member ${name} has a leader`);
    if (pod.terminating) return mayReturn(`pod/${name} is being deleted`);
    return { kind: 'left', revision: answer.revision, leaderlessSince: answer.leaderlessSince };
  }
  // Objects of any owner count: the data of a member is gone only if no pod and no volume of its name exists.
  if (observation.volumes.some((volume) => volume.name === name)) return mayReturn(`pvc/${name} still exists`);
  const other = observation.pods.find((candidate) => candidate.name === name);
  return other ? stateOfPod(assessment, other) : recordedState(assessment, name);
}

/** The state of the voter of a pod without a volume, or whose volume is gone. */
function stateOfPod(assessment: Assessment, pod: MemberPod): VoterState {
  if (isOnLostNode(assessment, pod))
    return { kind: 'gone', evidence: `node ${pod.node} of member ${pod.name} is gone or out of service` };
  const isReporting = assessment.observation.nodes.get(pod.node)?.ready !== false;
  return mayReturn(
    isReporting || pod.node === ''
      ? `pod/${pod.name} still exists`
      : `node ${pod.node} does not report and may still run pod/${pod.name}`,
  );
}

/**
 * The state of a voter without pod and volume. If its node reports to Kubernetes, the pod has ended. If the node does not report, the pod
 * may still run.
 */
function recordedState({ observation }: Assessment, name: string): VoterState {
  const node = observation.cluster.lastMembers?.find((member) => member.name === name)?.node ?? '';
  if (node === '') return mayReturn(`it is not known which node ran member ${name}`);
  const facts = observation.nodes.get(node);
  if (!facts) return mayReturn(`it is not known whether node ${node}, which ran member ${name}, still exists`);
  if (facts.exists && !facts.outOfService && !facts.ready)
    return mayReturn(`node ${node} does not report and may still run member ${name}`);
  const where = facts.exists && !facts.outOfService ? 'reports' : 'is gone or out of service';
  return { kind: 'gone', evidence: `pod and volume of member ${name} are deleted, and its node ${node} ${where}` };
}

function mayReturn(why: string): VoterState {
  return { kind: 'mayReturn', why };
}
