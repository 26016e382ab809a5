// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { isIdle } from '../healing/stuck-pod.ts';
import { type Proposal, take } from '../proposal.ts';
import { isUp } from './learner-progress.ts';

/**
 * Handles a joining member whose member list (`--initial-cluster`) is outdated, because other members were added or removed since. With
 * such a list etcd exits, or waits for names that no longer resolve. The container reads the list when it is created. Before that, the pod
 * gets the present list. Afterwards the pod is recreated, because it holds no data (operator rule 9). A voter is changed only while its
 * process does not run, because it might just have started.
 */
export function renewBootList({ own, members }: Assessment): Proposal | undefined {
  const listed = members.flatMap(({ member }) => member.peerURLs).sort();
  const stale = own.find((view) => {
    const { member, pod } = view;
    // A running member has already used its list, even if the other members do not know yet that it runs.
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
