// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { hasJustStarted, isBooting } from '../member-health.ts';
import { later, type Proposal, pollDelay, retryDelay, soon, waitFor } from '../proposal.ts';
import { isOutOfMemory, mustBeReplaced, type Suspicion, suspicionOf } from './dead-member.ts';

/** A voter that is not healthy blocks all voluntary steps. */
export function waitForVoters(assessment: Assessment): Proposal | undefined {
  // A voter that must be replaced does not block: the learner that replaces it continues to join.
  const first = assessment.voters.find(
    (view) => view.health.kind !== 'healthy' && view.health.kind !== 'unmanaged' && !mustBeReplaced(assessment, view),
  );
  return first && waitForVoter(assessment, first);
}

function waitForVoter(assessment: Assessment, view: MemberView): Proposal {
  const { now } = assessment;
  const { name } = view;
  const suspicion = suspicionOf(assessment, view);
  if (!suspicion) return waitForStart(view, now);
  if (isOutOfMemory(assessment, view)) {
    return waitFor(`Member ${name} is OOMKilled repeatedly. Raise spec.pod.resources.limits.memory.`, later);
  }
  if (isBooting(view, now)) {
    return waitFor(`Waiting for member ${name}: etcd is opening its data.`, hasJustStarted(view, now) ? soon : later);
  }
  const words = `Member ${name} ${describeTrouble(view, suspicion.why)}. ${whatNext(assessment, suspicion)}`;
  return waitFor(words, askAgainAfter(view, suspicion, now));
}

function waitForStart({ name, health, pod }: MemberView, now: number): Proposal {
  const why = health.kind === 'starting' ? `: ${health.why}.` : '.';
  // Until the container starts, an event of Kubernetes reports each change. No event reports that etcd answers, so a running container is
  // asked often.
  const isQuiet = pod && !pod.terminating && pod.container.state !== 'running';
  return waitFor(`Waiting for member ${name} to start${why}`, isQuiet ? pollDelay(now - pod.seenSince) : soon);
}

/** The text has no countdown, because the status is written each time the text changes. */
function whatNext({ desired }: Assessment, { objections }: Suspicion): string {
  const vetoes = objections.filter(({ name }) => name !== 'StillPatient').map(({ evidence }) => evidence);
  return vetoes.length > 0
    ? `The member is not replaced, because ${vetoes.join(' and ')}.`
    : `The member will be replaced if this lasts ${desired.replaceAfter / 1000} s (spec.pod.replaceAfter).`;
}

function askAgainAfter(view: MemberView, { patienceLeft }: Suspicion, now: number): number {
  const { health, pod } = view;
  const waited = 'since' in health && health.since !== undefined ? now - health.since : 0;
  const usual = pod?.ip === '' ? pollDelay(waited) : retryDelay(waited);
  const left = patienceLeft > 0 ? patienceLeft + 100 : Number.POSITIVE_INFINITY;
  return Math.min(hasJustStarted(view, now) ? soon : usual, left);
}

function describeTrouble({ health }: MemberView, why: string): string {
  switch (health.kind) {
    case 'unreachable':
      return `is not reachable from the operator (${why})`;
    case 'leaderless':
      return 'is reachable and has no leader';
    case 'podEnding':
      return 'will be restarted on its volume when its pod, which is Terminating, has been deleted';
    case 'lost':
    case 'mismatched':
    case 'leaving':
    case 'healthy':
    case 'starting':
    case 'unstarted':
    case 'podGone':
    case 'unmanaged':
      return `is lost (${why})`;
  }
}
