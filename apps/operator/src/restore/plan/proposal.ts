// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import { counted } from '../../counted.ts';
import type { JobState } from '../observation.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

type WaitingJob = Extract<JobState<unknown>, { kind: 'waiting' }>;

/** Steps to take now; the restore is observed again right after them. */
export function take(phase: RestorePhaseName, steps: readonly PlannedRestoreStep[], reason = ''): RestorePlan {
  return { steps, report: { phase, reason }, lookAgainAfter: 20 };
}

/** Nothing to do but wait. */
export function wait(phase: RestorePhaseName, reason: string, lookAgainAfter: number): RestorePlan {
  return { steps: [], report: { phase, reason }, lookAgainAfter };
}

/** What somebody else brings, or brings back, is waited for as long as a store that does not answer. */
export const othersPatience = 600_000;

/**
 * Waits for what may pass by itself, and goes on otherwise only if it has lasted: what ends a restore ends it for good, and one look may
 * see what is so for a moment. Nothing is changed meanwhile.
 */
export function patiently(waiting: RestorePlan, after: number, plan: RestorePlan): RestorePlan {
  return { ...waiting, atLast: { after, plan } };
}

/** What to do if this was planned for so long without a break, in milliseconds. */
export function outlasted(plan: RestorePlan, waited: number): RestorePlan {
  return plan.atLast && waited >= plan.atLast.after ? plan.atLast.plan : plan;
}

/** The restore ends here, with nothing to put back. */
export function finish(phase: 'Failed', reason: string): RestorePlan {
  return { steps: [], report: { phase, reason }, lookAgainAfter: 0 };
}

/** Recorded first, so that whoever comes after a crash puts back as well. */
export function fail(reason: string): RestorePlan {
  return { steps: [], report: { phase: 'RollingBack', reason, failure: reason }, lookAgainAfter: 0 };
}

/** What is said of work that failed and is under way again: the same in both, so that the reason stays while it lasts. */
export function tryingAgain(lastFailure: string | undefined): string {
  return lastFailure === undefined ? '' : `${lastFailure}; trying again`;
}

/** Others are at work. A failure of the attempt before is said while this one waits, too. */
export function awaitTurn(phase: RestorePhaseName, { ahead, lastFailure }: WaitingJob, work: string): RestorePlan {
  const awaited = `waiting for ${counted(ahead, 'other restore')} to finish ${work}`;
  return wait(phase, lastFailure === undefined ? awaited : `${tryingAgain(lastFailure)}: ${awaited}`, 1_000);
}

const progressStep = 64 * 1024 * 1024;

/** How far it has come, in steps that are worth a write of the status. */
export function progress(bytes: number): number {
  return Math.floor(bytes / progressStep) * progressStep;
}
