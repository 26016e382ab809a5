// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';
import { hasCaughtUp } from './learner-progress.ts';

/** How long a joining member with all the data may keep its client port closed, in milliseconds. Usually it needs some tens of them. */
const opensWithin = 500;

/**
 * Since 3.6 nearly every joining member receives a snapshot, which is sent with the next entry that the leader applies. Often that entry is
 * the joining member's own publish request. The member then finds it in the snapshot instead of applying it, and keeps its client port
 * closed for 7 s until it tries again. After a restart on its data it serves at once. A restart of a learner costs no vote. A learner
 * without a volume would lose the data, so it waits. This happens only once, because the next pod no longer joins.
 */
export function restartLearner({ learners, leader, now }: Assessment): Proposal | undefined {
  const stuck = learners.find((view) => isPortClosed(view, leader, now));
  if (!stuck?.pod) return undefined;
  return take(
    { do: 'deletePod', name: stuck.name, uid: stuck.pod.uid, force: false, graceSeconds: 1 },
    `Restarting learner ${stuck.name}: its data is current but its client port has not opened.`,
  );
}

function isPortClosed({ member, pod, answer }: MemberView, leader: MemberView | undefined, now: number): boolean {
  if (!pod || pod.terminating || pod.data !== 'claim' || pod.boot !== 'existing' || member.name === '') return false;
  return answer?.kind === 'peerOnly' && now - answer.since >= opensWithin && hasCaughtUp(answer.applied, leader);
}
