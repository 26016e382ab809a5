// SPDX-License-Identifier: Apache-2.0
import { type Assessment, isPresent, type MemberView } from './assessment.ts';
import { corruptionOf } from './corruption.ts';
import { differsFromSpec } from './drift.ts';
import { type Proposal, take } from './proposal.ts';

/** A step that makes another healthy voter the leader, if `view` leads and there is somebody to take over. */
export function moveLeadershipFrom(assessment: Assessment, view: MemberView, because: string): Proposal | undefined {
  const { leader, healthyVoters, clusterId } = assessment;
  if (leader !== view || !isPresent(view, clusterId)) return undefined;
  const needsWork = (other: MemberView) => Number(differsFromSpec(assessment, other));
  const [heir] = healthyVoters
    .filter((other) => other !== view && !corruptionOf(assessment)?.deviating.includes(other))
    .sort((a, b) => needsWork(a) - needsWork(b) || progress(b) - progress(a));
  if (!heir) return undefined;
  return take(
    { do: 'moveLeader', from: view.member.id, to: heir.member.id, toName: heir.name },
    `${view.name} leads the cluster and ${because}: ${heir.name} takes over`,
  );
}

function progress({ answer }: MemberView): number {
  return answer?.kind === 'status' ? answer.raftAppliedIndex : 0;
}
