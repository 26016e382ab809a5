// SPDX-License-Identifier: Apache-2.0
import type { Pod, PodDisruptionBudget } from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';
import { isPodReady } from '../workloads/pod-condition.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

/** A granted eviction counts as a disruption until the pod is gone, for at most two minutes. */
const grantedFor = 120_000;

/**
 * How many pods of a PodDisruptionBudget may be disrupted now.
 * @param expected the number of pods that their controllers want; undefined if a controller is unknown
 */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: number | undefined,
  now: number,
): Status {
  const disrupted = Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, since]) => {
    const pod = pods.find(({ metadata }) => metadata?.name === name);
    return pod && !pod.metadata?.deletionTimestamp && now - Date.parse(since) < grantedFor;
  });
  const names = new Set(disrupted.map(([name]) => name));
  const healthy = pods.filter(
    (pod) => !pod.metadata?.deletionTimestamp && !names.has(pod.metadata?.name ?? '') && isPodReady(pod),
  ).length;
  const total = expected ?? pods.length;
  const desired = desiredHealthy(budget, total);
  const allowed = expected === undefined || total === 0 ? 0 : Math.max(0, healthy - desired);
  return {
    observedGeneration: budget.metadata?.generation ?? 0,
    ...(disrupted.length > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: total,
    conditions: [condition(budget, allowed, expected === undefined, now)],
  };
}

function desiredHealthy({ spec }: PodDisruptionBudget, total: number): number {
  if (spec?.maxUnavailable !== undefined) return Math.max(0, total - count(spec.maxUnavailable, total));
  return count(spec?.minAvailable ?? 1, total);
}

/** The number of pods that a limit means. Percentages are rounded up, also those of `maxUnavailable`. */
function count(value: number | string, total: number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? Math.ceil((Number.parseFloat(value) / 100) * total) : Number(value);
}

function condition(
  budget: PodDisruptionBudget,
  allowed: number,
  failed: boolean,
  now: number,
): NonNullable<Status['conditions']>[number] {
  const status = allowed > 0 ? 'True' : 'False';
  const reason = failed ? 'SyncFailed' : allowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  const old = budget.status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  return {
    type: 'DisruptionAllowed',
    status,
    reason,
    message: '',
    observedGeneration: budget.metadata?.generation ?? 0,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : timestamp(now),
  };
}
