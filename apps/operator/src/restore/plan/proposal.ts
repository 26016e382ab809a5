// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/** Steps to take now; the world is looked at again right after them. */
export function take(phase: RestorePhaseName, steps: readonly PlannedRestoreStep[], reason = ''): RestorePlan {
  return { steps, report: { phase, reason }, lookAgainAfter: 20 };
}

/** Nothing to do but wait. */
export function wait(phase: RestorePhaseName, reason: string, lookAgainAfter: number): RestorePlan {
  return { steps: [], report: { phase, reason }, lookAgainAfter };
}

/** The restore ends here, with nothing to put back. */
export function finish(phase: 'Failed', reason: string): RestorePlan {
  return { steps: [], report: { phase, reason }, lookAgainAfter: 0 };
}

/** Recorded first, so that whoever comes after a crash puts back as well. */
export function fail(reason: string): RestorePlan {
  return { steps: [], report: { phase: 'RollingBack', reason, failure: reason }, lookAgainAfter: 0 };
}

const progressStep = 64 * 1024 * 1024;

/** How far it has come, in steps that are worth a write of the status. */
export function progress(bytes: number): number {
  return Math.floor(bytes / progressStep) * progressStep;
}
