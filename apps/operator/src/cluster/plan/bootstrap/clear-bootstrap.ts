// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import type { PlannedStep } from '../step.ts';

/**
 * A voter is never armed (safety rule 2, operator rules 1 and 28): one that was left armed by a crash, or re-armed by hand, is disarmed. Its
 * identity and its mark as a voter are written with it, also on pods of CoreOS etcd-operator, whose boot values are fixed.
 */
export function clearBootstrapOfVoters(assessment: Assessment): PlannedStep[] {
  const { voters, clusterId, membershipKnown, pods } = assessment;
  if (!membershipKnown)
    return [...pods.values()].flatMap((pod) => {
      const memberId = memberIdOnRecord(assessment, pod);
      return memberId !== '' && isArmedOnRecord(pod) ? [disarm(pod, clusterId, memberId)] : [];
    });
  return voters.flatMap((view) =>
    view.pod && view.member.name !== '' && needsBootstrapCleared(view)
      ? [disarm(view.pod, clusterId, view.member.id)]
      : [],
  );
}

/** True if the pod could boot on an empty directory, or it or its volume does not say yet which voter it is. */
export function needsBootstrapCleared({ pod, member, volume }: MemberView): boolean {
  if (!pod || pod.terminating) return false;
  const isRecorded = pod.memberId === member.id && (pod.data !== 'claim' || !volume || volume.memberId === member.id);
  return hasBootstrapConfiguration(pod) || !pod.markedVoter || !isRecorded;
}

function disarm(pod: MemberPod, clusterId: string, memberId: string): PlannedStep {
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
 * Who votes cannot be asked now, but its pod says so: it is marked as a voter, or it is the first member, which votes from the start.
 * The first member's volume may be all that knows it yet, if the pod could not be written: on an empty disk it would bootstrap once more.
 */
function isArmedOnRecord(pod: MemberPod): boolean {
  return !pod.terminating && (pod.markedVoter || pod.boot === 'new') && hasBootstrapConfiguration(pod);
}

function memberIdOnRecord({ volumes }: Assessment, { name, memberId, data }: MemberPod): string {
  return memberId || (data === 'claim' ? (volumes.get(name)?.memberId ?? '') : '');
}

function hasBootstrapConfiguration({ boot }: MemberPod): boolean {
  return boot === 'new' || boot === 'existing';
}
