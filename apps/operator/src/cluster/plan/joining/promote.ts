// SPDX-License-Identifier: Apache-2.0
import { healthIntervalMs } from '@operator-parts/etcd';
import type { Assessment, MemberView } from '../assessment.ts';
import { needsBootstrapCleared } from '../bootstrap/clear-bootstrap.ts';
import { type Proposal, soon, waitFor } from '../proposal.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';
import type { PlannedStep } from '../step.ts';
import { whyNoLearnerFits } from './join.ts';
import { isInSync, isUp, learnerRetry, mostAdvancedVoter, whyNotInSync } from './learner-progress.ts';

/** How long a learner that is ready waits for other members to start, while the cluster has a single voter. */
const companyLimit = 20_000;
/** etcd accepts another member once all voters have been connected for this long. A learner's connection counts from its start. */
const activeLimit = healthIntervalMs + 1_000;

/**
 * Promotes the first learner that has caught up. While the seed is the only voter, this learner waits for the other members to start. It
 * does not wait for members that can join only after its promotion, because some versions of etcd accept only one learner at a time.
 */
export function promoteNext(assessment: Assessment, target: number): Proposal | undefined {
  const { learners, now, voters } = assessment;
  const [first] = learners;
  if (!first) return undefined;
  const next = learners.find((view) => isInSync(view, mostAdvancedVoter(assessment)));
  if (!next) {
    return waitFor(
      `Waiting for learner ${first.name}: ${whyNotInSync(first)}.`,
      learnerRetry(first, mostAdvancedVoter(assessment), now),
    );
  }
  const since = next.answer?.kind === 'status' ? next.answer.since : now;
  const wait = voters.length === 1 ? waitBefore(assessment, target) : undefined;
  if (wait && now - since < wait.limit) return waitFor(`Learner ${next.name} is ready. ${wait.why}`, soon);
  return promote(assessment, next);
}

/** What a learner that is ready waits for while the cluster has a single voter, and for how long. */
function waitBefore(
  assessment: Assessment,
  target: number,
): { readonly why: string; readonly limit: number } | undefined {
  const { learners, own } = assessment;
  const isMissing = own.length < target;
  const fits = isMissing && whyNoLearnerFits(assessment, releaseForNewMember(assessment)) === undefined;
  if (fits || learners.some((view) => !isUp(view)))
    return { why: 'Waiting for the other members to start.', limit: companyLimit };
  if (!isMissing) return undefined;
  return {
    why: `Waiting ${activeLimit / 1000} s before the learner is promoted, so that etcd accepts the next member.`,
    limit: activeLimit,
  };
}

/** Clears the bootstrap configuration first: a process may start on an empty directory only while it does not vote (operator rule 1). */
function promote(assessment: Assessment, view: MemberView): Proposal {
  const { member, pod, name } = view;
  const { clusterId } = assessment;
  const steps: PlannedStep[] = [];
  if (pod && needsBootstrapCleared(view)) {
    steps.push({
      step: {
        do: 'clearBootstrap',
        pod: name,
        uid: pod.uid,
        resourceVersion: pod.resourceVersion,
        clusterId,
        memberId: member.id,
        markVoter: true,
        onVolume: pod.data === 'claim',
        version: pod.version,
      },
      reason: `Clearing the bootstrap configuration of pod/${name}: a voter must not start with an empty data directory.`,
    });
  }
  steps.push({
    step: { do: 'promote', memberId: member.id, name },
    reason: `Promoting learner ${name} to voter: it has caught up.`,
  });
  return { steps, waits: [] };
}
