// SPDX-License-Identifier: Apache-2.0
import type { MemberPod, MemberVolume, Observation } from '../../observation.ts';
import type { Plan } from '../plan.ts';
import type { Step } from '../step.ts';

/** Returns the violations in a plan, as text. */
export type Check = (plan: Plan, seen: Observation) => readonly string[];
type Of<K extends Step['do']> = Extract<Step, { do: K }>;

/** The steps of one kind. */
export const steps = <K extends Step['do']>({ steps: all }: Plan, kind: K): readonly Of<K>[] =>
  all.flatMap(({ step }) => (step.do === kind ? [step as Of<K>] : []));

/** True for objects of this EtcdCluster and of its present incarnation. */
export const isCurrent = (plan: Plan, { ownership, incarnation }: MemberPod | MemberVolume) =>
  ownership === 'ours' && plan.identity.kind !== 'conflict' && incarnation === plan.identity.incarnation;

export const listed = ({ etcd }: Observation) => (etcd.membership.kind === 'known' ? etcd.membership.members : []);

export const podOf = (plan: Plan, seen: Observation, name: string) =>
  seen.pods.find((pod) => pod.name === name && isCurrent(plan, pod));

export const voters = (seen: Observation) => listed(seen).filter((member) => !member.isLearner);

/** True if the member answers with its own IDs, knows a leader, and its pod is not terminating. */
export function isHealthy(plan: Plan, seen: Observation, { id, podName }: { id: string; podName: string }): boolean {
  const pod = podOf(plan, seen, podName);
  const answer = seen.etcd.answers.get(podName);
  const clusterId = plan.identity.kind === 'recorded' ? plan.identity.clusterId : '';
  return (
    pod !== undefined &&
    (pod.memberId === '' || pod.memberId === id) &&
    !pod.terminating &&
    pod.phase !== 'Failed' &&
    pod.phase !== 'Succeeded' &&
    answer?.kind === 'status' &&
    answer.memberId === id &&
    answer.clusterId === clusterId &&
    answer.leaderId !== ''
  );
}
