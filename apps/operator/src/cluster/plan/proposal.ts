// SPDX-License-Identifier: Apache-2.0
import type { PlannedStep, Step, Wait } from './step.ts';

/**
 * The result of one rule: steps to take now, conditions to wait for, or both. A rule that does not apply returns undefined, and the next
 * rule is asked.
 */
export interface Proposal {
  readonly steps: readonly PlannedStep[];
  readonly waits: readonly Wait[];
}

/** One step, with its reason. */
export function take(step: Step, reason: string): Proposal {
  return { steps: [{ step, reason }], waits: [] };
}

/** Several steps that do not depend on each other's outcome. */
export function takeAll(steps: readonly PlannedStep[]): Proposal | undefined {
  return steps.length > 0 ? { steps, waits: [] } : undefined;
}

/** Takes no step, only waits. */
export function waitFor(reason: string, retryAfter: number): Proposal {
  return { steps: [], waits: [{ reason, retryAfter }] };
}

/** How soon to reconcile again while etcd is about to finish something. */
export const soon = 250;
/** How soon to reconcile again while people or Kubernetes must change something; an event usually comes earlier. */
export const later = 5_000;

/**
 * How soon to reconcile again while a member has not answered for this long; no event reports that etcd answers again. A member that has
 * just stopped answering often answers a moment later; a member that has not answered for long is asked less often.
 */
export function retryDelay(unreachableFor: number): number {
  return Math.min(later, Math.max(soon, unreachableFor));
}

/**
 * How soon to reconcile again after waiting for this long for a change that may take minutes and that an event reports: after the same time
 * again, but at most 30 s.
 */
export function pollDelay(waitedFor: number): number {
  return Math.min(30_000, Math.max(soon, waitedFor));
}
