// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from './assessment.ts';
import type { PlannedStep } from './step.ts';

/**
 * A voter is never armed (operator rules 1 and 28): one that was left armed by a crash, or re-armed by hand, is disarmed. Its
 * identity and its mark as a voter are written with it, also on pods of the original operator, whose boot values are fixed.
 */
export function disarmVoters({ voters, clusterId }: Assessment): PlannedStep[] {
  return voters.filter(needsMark).map(({ member, pod, name }) => ({
    step: {
      do: 'disarm',
      pod: name,
      uid: pod?.uid ?? '',
      resourceVersion: pod?.resourceVersion ?? '',
      clusterId,
      memberId: member.id,
      markVoter: true,
    },
    reason: `${name} votes: it must not be able to start on an empty directory, and the disruption budget must count it`,
  }));
}

function needsMark({ pod, member }: MemberView): boolean {
  if (!pod || pod.terminating || member.name === '') return false;
  return pod.boot === 'new' || pod.boot === 'existing' || !pod.markedVoter || pod.memberId !== member.id;
}
