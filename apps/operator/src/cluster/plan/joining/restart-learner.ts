// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';
import { hasCaughtUp } from './learner-progress.ts';

/**
 * How long a joining member with all the data may keep its client port closed, in milliseconds. Usually the port opens within some tens of
 * milliseconds.
 */
const opensWithin = 500;

/**
 * Since etcd 3.6, nearly every joining member receives a snapshot, which the leader sends with the next entry that it applies. Often this
 * entry is the joining member's own request to publish its name. The member then finds this request in the snapshot instead of applying it,
 * and keeps its client port closed for 7 s, until it sends the request again. If the member is restarted on its data, it serves at once,
 * and restarting a learner costs no vote. A learner without a volume is not restarted, because it would lose its data. A learner is
 * restarted only once, because its next pod has no boot values for joining.
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
