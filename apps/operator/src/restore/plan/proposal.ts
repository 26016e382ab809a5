// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import { counted } from '../../counted.ts';
import type { JobState } from '../observation.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

type WaitingJob = Extract<JobState<unknown>, { kind: 'waiting' }>;

/** Steps to take now; the restore is observed again right after them. */
export function take(phase: RestorePhaseName, steps: readonly PlannedRestoreStep[], reason = ''): RestorePlan {
  return { steps, report: { phase, reason }, requeueAfter: 20 };
}

/** Waits, without any step. */
export function wait(phase: RestorePhaseName, reason: string, requeueAfter: number): RestorePlan {
  return { steps: [], report: { phase, reason }, requeueAfter };
}

/** How long to wait for an object that the user still has to create or restore: as long as for a store that does not answer. */
export const userTimeout = 600_000;

/**
 * Waits for a condition that may be temporary, and uses the given plan only if the condition has lasted. An ended restore does not
 * continue, and a single observation may show a state that soon passes. Nothing is changed meanwhile.
 */
export function patiently(waiting: RestorePlan, after: number, plan: RestorePlan): RestorePlan {
  return { ...waiting, atLast: { after, plan } };
}

/** The plan to use instead once this one has been planned for `after` milliseconds without a break. */
export function outlasted(plan: RestorePlan, waited: number): RestorePlan {
  return plan.atLast && waited >= plan.atLast.after ? plan.atLast.plan : plan;
}

/** Ends the restore, with nothing to roll back. */
export function finish(phase: 'Failed', reason: string): RestorePlan {
  return { steps: [], report: { phase, reason }, requeueAfter: 0 };
}

/** The failure is recorded first, so that the next process also rolls back after a crash. */
export function fail(reason: string): RestorePlan {
  return { steps: [], report: { phase: 'RollingBack', reason, failure: reason }, requeueAfter: 0 };
}

/**
 * The reason while failed work is being retried. It is the same before and during the retry, so that status.reason does not change back and
 * forth.
 */
export function tryingAgain(lastFailure: string | undefined): string {
  return lastFailure === undefined ? '' : `${lastFailure}; trying again`;
}

/** Waits for a permit, because other restores hold all permits. Meanwhile the failure of the previous attempt is still reported. */
export function awaitTurn(phase: RestorePhaseName, { ahead, lastFailure }: WaitingJob, work: string): RestorePlan {
  const awaited = `waiting for ${counted(ahead, 'other restore')} to finish ${work}`;
  return wait(phase, lastFailure === undefined ? awaited : `${tryingAgain(lastFailure)}: ${awaited}`, 1_000);
}

const progressStep = 64 * 1024 * 1024;

/** The progress, rounded down so that the status is not written too often. */
export function progress(bytes: number): number {
  return Math.floor(bytes / progressStep) * progressStep;
}
