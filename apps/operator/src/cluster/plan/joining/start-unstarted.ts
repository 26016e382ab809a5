// SPDX-License-Identifier: Apache-2.0

import { isOwnAddress } from '../../../identity/member-naming.ts';
import type { EtcdMember, MemberPod } from '../../observation.ts';
import { type Assessment, listedOrRemembered } from '../assessment.ts';
import { isIdle, outdatedFields, recreatePod } from '../healing/stuck-pod.ts';
import { rollbackTargetOf, wantedRelease } from '../rolling/member-release.ts';
import type { PlannedStep } from '../step.ts';

/**
 * Starts a voter that was added without being a learner first, and that has never started. Without this voter there is no quorum, and it
 * has no data to lose (checklist 53). Only members with names that this operator gives are started.
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
 * True if every voter that is recorded as started is reachable, so that only members that have never started are missing. If a started
 * voter is missing as well, the record may be outdated: while the operator did not run, the member that is recorded as not started may have
 * started, and may have acknowledged entries together with the missing voter. If this member started again with an empty data directory, it
 * could help to elect a leader that lacks these entries (operator rule 1).
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

function start({ pods, incarnation, desired }: Assessment, { podName, id }: EtcdMember): PlannedStep {
  const [beside] = pods.values();
  const release = beside ? rollbackTargetOf(beside) : wantedRelease(desired);
  const made = { boot: 'existing', onVolume: false, asRoot: false, rollbackTo: undefined, ...release } as const;
  return {
    step: { do: 'createPod', name: podName, incarnation, memberId: id, ...made },
    reason: `Creating pod/${podName}: the member was added, has never started, and is needed for quorum.`,
  };
}

/** Recreates a pod that has ended, or that cannot start and differs from the corrected spec. */
function clearWay(pod: MemberPod): readonly PlannedStep[] {
  if (pod.terminating) return [];
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') {
    const reason = `Recreating pod/${pod.name}: it stopped (${pod.phase}) before its member started.`;
    return [{ step: { do: 'deletePod', name: pod.name, uid: pod.uid, force: false }, reason }];
  }
  const fields = outdatedFields(pod, pod.image, pod.data);
  return isIdle(pod) && fields.length > 0 ? recreatePod(pod, fields).steps : [];
}
