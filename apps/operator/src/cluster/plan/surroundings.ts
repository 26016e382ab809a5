// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { Desired } from '../desired.ts';
import type { Observation } from '../observation.ts';
import type { PlannedStep } from './step.ts';

/** The Services, which exist before the first pod and are repaired whenever they differ. */
export function services({ services: found }: Observation): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (const which of ['peer', 'client'] as const) {
    if (found[which] !== 'missing' && found[which] !== 'drifted') continue;
    steps.push({
      step: { do: 'ensureService', which },
      reason: found[which] === 'missing' ? `the ${which} Service does not exist` : `the ${which} Service was changed`,
    });
  }
  return steps;
}

/**
 * The disruption budget keeps a quorum of whatever is larger, the voters there are or those asked for: raised before the
 * cluster grows, lowered after it has shrunk (operator rule 16).
 */
export function budget({ budget: found }: Observation, desired: Desired, voters: number | undefined): PlannedStep[] {
  if (found.foreign || voters === undefined) return [];
  const wanted = desired.podDisruptionBudget ? minAvailable(desired, voters) : undefined;
  if (wanted === found.minAvailable && !found.drifted) return [];
  if (wanted === undefined) return [{ step: { do: 'deleteBudget' }, reason: 'no disruption budget is wanted' }];
  return [
    {
      step: { do: 'ensureBudget', minAvailable: wanted },
      reason: `voluntary disruptions must leave ${wanted} voters, a quorum`,
    },
  ];
}

/** Undefined where a budget would only block drains: one or two members on volumes come back by themselves. */
function minAvailable(desired: Desired, voters: number): number | undefined {
  const size = Math.max(desired.size, voters);
  if (size >= 3) return quorum(size);
  return desired.storage === 'claim' ? undefined : size;
}
