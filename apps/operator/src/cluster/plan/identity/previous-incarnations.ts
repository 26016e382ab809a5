// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';

/**
 * Removes pods of a previous incarnation of this object from the Service endpoints: clients must not read another incarnation's data, and
 * new members must not find them by name (operator rules 4 and 30). Their processes and data stay as they are.
 */
export function isolatePreviousIncarnations({ pods }: Observation, incarnation: number): PlannedStep[] {
  return pods
    .filter((pod) => pod.ownership === 'ours' && pod.incarnation < incarnation && !pod.terminating && !pod.isolated)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, uid, incarnation: previous }) => ({
      step: { do: 'isolatePod', name, uid },
      reason: `Isolating pod/${name} from the Services: it belongs to previous incarnation ${previous}; the present one is ${incarnation}.`,
    }));
}

/**
 * Pods of the present incarnation belong to the Service endpoints. After a failed restore these pods may lack the label `app`, and get it
 * again.
 */
export function unisolatePresentIncarnation({ pods }: Observation, incarnation: number): PlannedStep[] {
  return pods
    .filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation && !pod.terminating && pod.isolated)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, uid }) => ({
      step: { do: 'unisolatePod', name, uid },
      reason: `Adding pod/${name} to the Service endpoints again: it belongs to the present incarnation.`,
    }));
}
