// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import type { PlannedStep } from '../step.ts';

/**
 * A voter never keeps its bootstrap configuration (safety rule 2, operator rules 1 and 28). The configuration is cleared if the operator
 * crashed before it cleared it, or if a person set it again by hand. The same step also writes the identity and the label of a voter. Pods
 * of CoreOS etcd-operator get these too, although their bootstrap configuration is fixed.
 */
export function clearBootstrapOfVoters(assessment: Assessment): PlannedStep[] {
  const { voters, clusterId, membershipKnown, pods } = assessment;
  if (!membershipKnown)
    return [...pods.values()].flatMap((pod) => {
      const memberId = memberIdOnRecord(assessment, pod);
      return memberId !== '' && couldBootstrapAgain(pod) ? [clearBootstrap(pod, clusterId, memberId)] : [];
    });
  return voters.flatMap((view) =>
    view.pod && view.member.name !== '' && needsBootstrapCleared(view)
      ? [clearBootstrap(view.pod, clusterId, view.member.id)]
      : [],
  );
}

/** True if the pod could boot on an empty directory (etcd fact 11), or if the pod or its volume does not record yet which voter it is. */
export function needsBootstrapCleared({ pod, member, volume }: MemberView): boolean {
  if (!pod || pod.terminating) return false;
  const isRecorded = pod.memberId === member.id && (pod.data !== 'claim' || !volume || volume.memberId === member.id);
  return hasBootstrapConfiguration(pod) || !pod.markedVoter || !isRecorded;
}

function clearBootstrap(pod: MemberPod, clusterId: string, memberId: string): PlannedStep {
  return {
    step: {
      do: 'clearBootstrap',
      pod: pod.name,
      uid: pod.uid,
      resourceVersion: pod.resourceVersion,
      clusterId,
      memberId,
      markVoter: true,
      onVolume: pod.data === 'claim',
      version: pod.version,
    },
    reason: `Clearing the bootstrap configuration of pod/${pod.name}: a voter must not start with an empty data directory.`,
  };
}

/**
 * True if the pod has a bootstrap configuration although it belongs to a voter. Without a quorum, the operator cannot ask etcd which
 * members vote. But the pod shows it: the pod is labelled as a voter, or it is the pod of the first member, which votes from the start and
 * would bootstrap again on an empty volume.
 */
function couldBootstrapAgain(pod: MemberPod): boolean {
  return !pod.terminating && (pod.markedVoter || pod.boot === 'new') && hasBootstrapConfiguration(pod);
}

function memberIdOnRecord({ volumes }: Assessment, { name, memberId, data }: MemberPod): string {
  return memberId || (data === 'claim' ? (volumes.get(name)?.memberId ?? '') : '');
}

function hasBootstrapConfiguration({ boot }: MemberPod): boolean {
  return boot === 'new' || boot === 'existing';
}
