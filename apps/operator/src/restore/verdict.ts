// SPDX-License-Identifier: Apache-2.0
import type { RestorePlan } from './plan/step.ts';

/** True if the plan reports that the restore has failed, or that it begins to roll back. */
export function isEnd({ report }: RestorePlan, before: string | undefined): boolean {
  return report?.phase === 'Failed' || (report?.phase === 'RollingBack' && before !== 'RollingBack');
}

/** True if background jobs are no longer needed. */
export function isOver(ended: string | undefined, { report }: RestorePlan): boolean {
  return ended !== undefined || report?.phase === 'RollingBack' || report?.phase === 'Failed';
}

/**
 * The plan after the API server has rejected a request, for example because of a quota or a webhook: the status shows why, while the
 * restore retries.
 */
export function withTrouble(plan: RestorePlan, error: unknown): RestorePlan {
  const reason = error instanceof Error ? error.message.slice(0, 900) : String(error);
  return { ...plan, report: plan.report && { phase: plan.report.phase, reason } };
}
