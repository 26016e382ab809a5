// SPDX-License-Identifier: Apache-2.0
import { type Assessment, isPresent, type MemberView } from '../assessment.ts';
import { corruptionOf } from '../healing/corruption.ts';
import { type Proposal, take } from '../proposal.ts';
import { differsFromSpec } from './drift.ts';

/** A step that makes another healthy voter the leader, if `view` leads and another voter can take over. */
export function moveLeadershipFrom(assessment: Assessment, view: MemberView, because: string): Proposal | undefined {
  const { leader, healthyVoters, clusterId } = assessment;
  if (leader !== view || !isPresent(view, clusterId)) return undefined;
  const needsWork = (other: MemberView) => Number(differsFromSpec(assessment, other));
  const [successor] = healthyVoters
    .filter((other) => other !== view && !corruptionOf(assessment)?.deviating.includes(other))
    .sort((a, b) => needsWork(a) - needsWork(b) || progress(b) - progress(a));
  if (!successor) return undefined;
  return take(
    { do: 'moveLeader', from: view.member.id, to: successor.member.id, toName: successor.name },
    `Moving leadership to member ${successor.name}: the current leader ${view.name} ${because}.`,
  );
}

function progress({ answer }: MemberView): number {
  return answer?.kind === 'status' ? answer.raftAppliedIndex : 0;
}
