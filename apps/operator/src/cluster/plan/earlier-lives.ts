// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '../observation.ts';
import type { PlannedStep } from './step.ts';

/**
 * Pods of an earlier life of this object are taken from behind the Services: clients must not read another life's data, and
 * new members must not find them by name (operator rules 4 and 30). Their processes and data stay as they are.
 */
export function fenceEarlierLives({ pods }: Observation, incarnation: number): PlannedStep[] {
  return pods
    .filter((pod) => pod.ownership === 'ours' && pod.incarnation < incarnation && !pod.terminating && !pod.fenced)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, uid, incarnation: life }) => ({
      step: { do: 'fencePod', name, uid },
      reason: `${name} belongs to incarnation ${life} of this cluster, and incarnation ${incarnation} takes its place`,
    }));
}

/** Pods of the present life belong behind the Services: a restore that failed has left them without the label. */
export function unfencePresentLife({ pods }: Observation, incarnation: number): PlannedStep[] {
  return pods
    .filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation && !pod.terminating && pod.fenced)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, uid }) => ({
      step: { do: 'unfencePod', name, uid },
      reason: `${name} belongs to the present life of this cluster: clients must find it`,
    }));
}
