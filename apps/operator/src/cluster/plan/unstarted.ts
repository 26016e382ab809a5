// SPDX-License-Identifier: Apache-2.0
import type { EtcdMember, MemberPod } from '../observation.ts';
import type { Assessment } from './assessment.ts';
import { isUp } from './grow.ts';
import { isOwnAddress } from './member-naming.ts';
import { type Proposal, take } from './proposal.ts';
import { wantedRelease, wayBackOf } from './release.ts';
import type { PlannedStep } from './step.ts';
import { isIdle, makeAnew, outdatedFields } from './stuck-pod.ts';

/**
 * A voter that was added where learners are not used, and that has never started: without it there is no quorum, and it has
 * nothing that could be lost (checklist 53). Only for names that this operator gives.
 */
export function startUnstarted(assessment: Assessment): readonly PlannedStep[] {
  const { observation, pods } = assessment;
  if (observation.secretProblems.length > 0 || !isAllElseThere(assessment)) return [];
  return listedOrRemembered(assessment)
    .filter(({ name, peerURLs }) => name === '' && peerURLs.some((url) => isOwnAddress(observation.cluster, url)))
    .flatMap((member) => {
      const pod = pods.get(member.podName);
      return pod ? clearWay(pod) : [start(assessment, member)];
    });
}

/**
 * True if every member that is remembered as started answers, so that only those that never have are missing. With another one
 * missing, whoever remembers may have slept while the member started and voted with that other one: started on nothing, it
 * would help to elect a leader that lacks what both of them have acknowledged (operator rule 1).
 */
function isAllElseThere(assessment: Assessment): boolean {
  const answering = new Set(
    [...assessment.observation.etcd.answers.values()].flatMap((answer) =>
      answer.kind === 'status' ? [answer.memberId] : [],
    ),
  );
  return listedOrRemembered(assessment).every(
    ({ id, name, isLearner }) => name === '' || isLearner || answering.has(id),
  );
}

/**
 * A member that was added while others were there that are gone by now: etcd compares the list it boots with to the cluster's
 * and exits where they differ, or waits for names that no longer resolve. It reads the list when its container is made: before
 * that it gets the present one, later another pod, for it holds nothing (operator rule 9). A voter is touched only while no
 * process of it runs: it might have started this moment.
 */
export function remakeJoiner({ own, members }: Assessment): Proposal | undefined {
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
      `the members have changed since the pod of ${name} was made: it will start with the present list`,
    );
  }
  return take(
    { do: 'deletePod', name, uid: pod.uid, force: false, graceSeconds: 1 },
    `${name} has not started, and the members have changed since its pod was made: it starts afresh with the present list`,
  );
}

/** The members as listed, or as one that answers remembers them, by name. */
export function listedOrRemembered({ observation }: Assessment): readonly EtcdMember[] {
  const { membership } = observation.etcd;
  const members = membership.kind === 'known' ? membership.members : (membership.remembered ?? []);
  return members.toSorted((a, b) => (a.podName < b.podName ? -1 : 1));
}

function start({ pods, incarnation, desired }: Assessment, { podName, id }: EtcdMember): PlannedStep {
  const [beside] = pods.values();
  const release = beside ? wayBackOf(beside) : wantedRelease(desired);
  const made = { boot: 'existing', onVolume: false, asRoot: false, wayBack: undefined, ...release } as const;
  return {
    step: { do: 'createPod', name: podName, incarnation, memberId: id, ...made },
    reason: `${podName} was added to the cluster, has never started, and is needed for quorum`,
  };
}

/** Its pod has ended, or cannot start and the spec was corrected since: it gets another. */
function clearWay(pod: MemberPod): readonly PlannedStep[] {
  if (pod.terminating) return [];
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') {
    const reason = `the pod of ${pod.name} has ended (${pod.phase}) before its member started: it gets another`;
    return [{ step: { do: 'deletePod', name: pod.name, uid: pod.uid, force: false }, reason }];
  }
  const fields = outdatedFields(pod, pod.image, pod.data);
  return isIdle(pod) && fields.length > 0 ? makeAnew(pod, fields).steps : [];
}
