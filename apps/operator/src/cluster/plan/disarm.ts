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
  return voters.flatMap(({ pod, member }) =>
    pod && needsMark({ pod, member }) ? [disarm(pod, clusterId, member.id)] : [],
  );
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

function needsMark({ pod, member }: Pick<MemberView, 'member'> & { readonly pod: MemberPod }): boolean {
  if (pod.terminating || member.name === '') return false;
  return isArmed(pod) || !pod.markedVoter || pod.memberId !== member.id;
}

/** Who votes cannot be asked now, but its pod says so. */
function isArmedByMark(pod: MemberPod): boolean {
  return !pod.terminating && pod.markedVoter && pod.memberId !== '' && isArmed(pod);
}

function isArmed({ boot }: MemberPod): boolean {
  return boot === 'new' || boot === 'existing';
}
