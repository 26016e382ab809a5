// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';
import { hasCaughtUp } from './learner-progress.ts';

/** How long a joiner that has all the data may keep its client port closed, in milliseconds. It takes some tens of them. */
const opensWithin = 500;

/**
 * Since 3.6 nearly every joiner is sent a snapshot, which leaves with the next entry that the leader applies. Often that is the
 * joiner's own announcement: the others have heard it, but it finds it in the snapshot, never sees it happen, and keeps its client
 * port closed for 7 s until it tries again. Restarted on the data that it has by then, it serves at once. A learner is nobody's
 * loss meanwhile; one without a volume would lose the data, and waits. It is done once: the next pod does not join any more.
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
