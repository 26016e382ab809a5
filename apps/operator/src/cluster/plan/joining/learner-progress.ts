// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { isStuck } from '../healing/stuck-pod.ts';
import { later, pollDelay, retryDelay, soon } from '../proposal.ts';

/** True if the process of the member has started and has compared its member list with that of the cluster, whether the member serves yet or not. */
export function isUp({ answer }: MemberView): boolean {
  return answer?.kind === 'status' || answer?.kind === 'peerOnly';
}

export function whyNotInSync({ health }: MemberView): string {
  if (health.kind === 'starting') return health.why;
  return health.kind === 'unreachable'
    ? `it is not reachable from the operator (${health.why})`
    : 'it is receiving the data';
}

/**
 * How soon to reconcile again for a learner that is not in sync, in milliseconds. Until its container starts, events of Kubernetes report
 * each change. A learner that receives much data is asked less and less often. A learner that has the data is asked often, because it may
 * open its client port at any moment.
 */
export function learnerRetry({ pod, answer }: MemberView, leader: MemberView | undefined, now: number): number {
  if (pod && isStuck(pod)) return later;
  if (pod && pod.container.state !== 'running' && !pod.terminating) return pollDelay(now - pod.seenSince);
  if (answer?.kind === 'peerOnly' && hasCaughtUp(answer.applied, leader)) return soon;
  return answer ? retryDelay((now - answer.since) / 10) : soon;
}

/**
 * The voter whose progress a learner must reach: the leader. An unmanaged leader cannot be asked; then it is the healthy voter with the
 * most applied entries. In the end etcd itself decides whether the learner can be promoted.
 */
export function mostAdvancedVoter({ leader, healthyVoters }: Assessment): MemberView | undefined {
  if (leader?.health.kind !== 'unmanaged') return leader;
  const applied = ({ answer }: MemberView) => (answer?.kind === 'status' ? answer.raftAppliedIndex : 0);
  return healthyVoters.toSorted((a, b) => applied(b) - applied(a))[0];
}

export function isInSync({ answer, health }: MemberView, leader: MemberView | undefined): boolean {
  return health.kind === 'healthy' && answer?.kind === 'status' && hasCaughtUp(answer.raftAppliedIndex, leader);
}

/** etcd itself requires nine tenths of the leader's log and refuses an earlier promotion. */
export function hasCaughtUp(applied: number, leader: MemberView | undefined): boolean {
  return leader?.answer?.kind === 'status' && applied >= leader.answer.raftAppliedIndex * 0.9;
}
