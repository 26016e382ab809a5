// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';

/** The Services. They exist before the first pod, and are repaired whenever they differ. */
export function services({ services: found }: Observation): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (const which of ['peer', 'client'] as const) {
    if (found[which] !== 'missing' && found[which] !== 'drifted') continue;
    steps.push({
      step: { do: 'ensureService', which },
      reason:
        found[which] === 'missing'
          ? `Creating the ${which} Service.`
          : `Restoring the ${which} Service: it was changed.`,
    });
  }
  return steps;
}
