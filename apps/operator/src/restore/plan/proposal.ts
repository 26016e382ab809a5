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

/** How long to wait for an object that the user still has to create or restore: as long as for a store that does not answer. */
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

/** Recorded first, so that after a crash the next process rolls back as well. */
export function fail(reason: string): RestorePlan {
  return { steps: [], report: { phase: 'RollingBack', reason, failure: reason }, lookAgainAfter: 0 };
}

/** The reason while failed work is being retried. It is the same before and during the retry, so that status.reason does not flap. */
export function tryingAgain(lastFailure: string | undefined): string {
  return lastFailure === undefined ? '' : `${lastFailure}; trying again`;
}

/** Other restores are at work. The failure of the previous attempt is reported while this one waits, too. */
export function awaitTurn(phase: RestorePhaseName, { ahead, lastFailure }: WaitingJob, work: string): RestorePlan {
  const awaited = `waiting for ${counted(ahead, 'other restore')} to finish ${work}`;
  return wait(phase, lastFailure === undefined ? awaited : `${tryingAgain(lastFailure)}: ${awaited}`, 1_000);
}

const progressStep = 64 * 1024 * 1024;

/** How far it has come, in steps that are worth a write of the status. */
export function progress(bytes: number): number {
  return Math.floor(bytes / progressStep) * progressStep;
}
