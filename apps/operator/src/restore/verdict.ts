// SPDX-License-Identifier: Apache-2.0
import type { RestorePlan } from './plan/step.ts';

/** True if it would be said that the restore has failed, or begins to be put back. */
export function isEnd({ report }: RestorePlan, before: string | undefined): boolean {
  return report?.phase === 'Failed' || (report?.phase === 'RollingBack' && before !== 'RollingBack');
}

/** What was begun in the background is of no use any more. */
export function isOver(ended: string | undefined, { report }: RestorePlan): boolean {
  return ended !== undefined || report?.phase === 'RollingBack' || report?.phase === 'Failed';
}

/** A quota or a webhook says no: a person reads why in the status, while it is tried again. */
export function withTrouble(plan: RestorePlan, error: unknown): RestorePlan {
  const reason = error instanceof Error ? error.message.slice(0, 900) : String(error);
  return { ...plan, report: plan.report && { phase: plan.report.phase, reason } };
}
