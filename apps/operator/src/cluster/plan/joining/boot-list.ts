// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { isIdle } from '../healing/stuck-pod.ts';
import { type Proposal, take } from '../proposal.ts';
import { isUp } from './learner-progress.ts';

/**
 * A member that was added while others were there that are gone by now: etcd compares the list it boots with to the cluster's
 * and exits where they differ, or waits for names that no longer resolve. It reads the list when its container is made: before
 * that it gets the present one, later another pod, for it holds nothing (operator rule 9). A voter is touched only while no
 * process of it runs: it might have started this moment.
 */
export function renewBootList({ own, members }: Assessment): Proposal | undefined {
  const listed = members.flatMap(({ member }) => member.peerURLs).sort();
  const stale = own.find((view) => {
    const { member, pod } = view;
    // One that is up has the list behind it, also while the others have not heard of it.
    if (!pod || pod.terminating || member.name !== '' || isUp(view)) return false;
    const differs = pod.bootPeers.length > 0 && pod.bootPeers.join() !== listed.join();
    return differs && (member.isLearner || isIdle(pod));
  });
  if (!stale?.pod) return undefined;
  const { name, pod, member } = stale;
  if (member.isLearner && pod.container.id === '' && isIdle(pod)) {
    return take(
      { do: 'renewBootList', pod: name, uid: pod.uid },
      `Updating the member list of pod/${name}, which has not started: the members have changed since the pod was created.`,
    );
  }
  return take(
    { do: 'deletePod', name, uid: pod.uid, force: false, graceSeconds: 1 },
    `Recreating pod/${name}, whose etcd has not started: the members have changed since the pod was created.`,
  );
}
