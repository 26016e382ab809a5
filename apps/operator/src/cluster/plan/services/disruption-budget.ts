// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import type { Desired } from '../../desired.ts';
import type { Observation } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';

/**
 * The disruption budget keeps a quorum of the present voters or of spec.size, whichever is larger. It is raised before the cluster grows,
 * and lowered after it has shrunk (operator rule 16).
 */
export function budget({ budget: found }: Observation, desired: Desired, voters: number | undefined): PlannedStep[] {
  if (found.otherOwner || voters === undefined) return [];
  const wanted = desired.podDisruptionBudget ? minAvailable(desired, voters) : undefined;
  if (wanted === found.minAvailable && !found.drifted) return [];
  if (wanted === undefined)
    return [
      {
        step: { do: 'deleteBudget' },
        reason:
          'Deleting the PodDisruptionBudget: spec.podDisruptionBudget is false, or the cluster has fewer than 3 members.',
      },
    ];
  return [
    {
      step: { do: 'ensureBudget', minAvailable: wanted },
      reason: `Setting PodDisruptionBudget minAvailable to ${wanted} (quorum of ${Math.max(desired.size, voters)}).`,
    },
  ];
}

/** Undefined if a budget would only block node drains: in a cluster of one or two members on volumes, the members return by themselves. */
function minAvailable(desired: Desired, voters: number): number | undefined {
  const size = Math.max(desired.size, voters);
  if (size >= 3) return quorum(size);
  return desired.storage === 'claim' ? undefined : size;
}
