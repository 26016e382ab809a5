// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../observation.ts';
import type { Assessment, MemberView } from './assessment.ts';
import type { PlannedStep } from './step.ts';

/**
 * A voter is never armed (operator rules 1 and 28): one that was left armed by a crash, or re-armed by hand, is disarmed. Its
 * identity and its mark as a voter are written with it, also on pods of the original operator, whose boot values are fixed.
 */
export function disarmVoters(assessment: Assessment): PlannedStep[] {
  const { voters, clusterId, membershipKnown, pods } = assessment;
  if (!membershipKnown)
    return [...pods.values()].filter(isArmedByMark).map((pod) => disarm(pod, clusterId, pod.memberId));
  return voters.flatMap((view) =>
    view.pod && view.member.name !== '' && needsDisarming(view) ? [disarm(view.pod, clusterId, view.member.id)] : [],
  );
}

/** True if the pod could boot on an empty directory, or it or its volume does not say yet which voter it is. */
export function needsDisarming({ pod, member, volume }: MemberView): boolean {
  if (!pod || pod.terminating) return false;
  const isRecorded = pod.memberId === member.id && (pod.data !== 'claim' || !volume || volume.memberId === member.id);
  return isArmed(pod) || !pod.markedVoter || !isRecorded;
}

function disarm(pod: MemberPod, clusterId: string, memberId: string): PlannedStep {
  return {
    step: {
      do: 'disarm',
      pod: pod.name,
      uid: pod.uid,
      resourceVersion: pod.resourceVersion,
      clusterId,
      memberId,
      markVoter: true,
      onVolume: pod.data === 'claim',
      version: pod.version,
    },
    reason: `${pod.name} votes: it must not be able to start on an empty directory, and the disruption budget must count it`,
  };
}

/** Who votes cannot be asked now, but its pod says so. */
function isArmedByMark(pod: MemberPod): boolean {
  return !pod.terminating && pod.markedVoter && pod.memberId !== '' && isArmed(pod);
}

function isArmed({ boot }: MemberPod): boolean {
  return boot === 'new' || boot === 'existing';
}
