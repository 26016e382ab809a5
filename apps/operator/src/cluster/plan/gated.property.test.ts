// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import { assess } from './assessment.ts';
import { gated } from './gated.ts';
import { planCluster } from './plan.ts';
import type { PlannedStep, Step } from './step.ts';
import { now, observations } from './testing/arbitrary.ts';
import { violations } from './testing/safety.ts';

/** To try another seed: `PLAN_SEED=... npm test -- apps/operator/src/cluster/plan`. */
const parameters = { seed: Number(process.env['PLAN_SEED'] ?? 6), numRuns: Number(process.env['PLAN_RUNS'] ?? 2_000) };

/** The violations that the gate must prevent. That only one voter stops at a time, and when, is decided by the rules that propose it. */
const ofTheGate =
  /only copy|by force|goes before its replacement|of a listed member|removed as dead|^removing .* leaves/;

/** All steps that could destroy something, even if no rule would propose them. */
function destruction({ pods, volumes, etcd: { membership } }: Observation): readonly Step[] {
  const members = membership.kind === 'known' ? membership.members : [];
  return [
    ...members.map(
      ({ id, podName }) => ({ do: 'removeMember', memberId: id, name: podName, because: 'dead' }) as const,
    ),
    ...pods.flatMap(({ name, uid }) => [true, false].map((force) => ({ do: 'deletePod', name, uid, force }) as const)),
    ...volumes.map(({ name, uid }) => ({ do: 'deleteVolume', name, uid }) as const),
  ];
}

test('whatever a rule may propose, what the gate lets through is safe', () => {
  let passed = 0;
  fc.assert(
    fc.property(observations, (seen) => {
      const plan = planCluster(seen, now);
      const { desired } = seen.cluster;
      if (plan.identity.kind !== 'recorded' || 'problems' in desired || plan.assessment?.hasQuorum !== true) return;
      const assessment = assess(seen, desired, plan.identity, now);
      for (const step of destruction(seen).filter((one) => isOwn(seen, one))) {
        const planned: PlannedStep = { step, reason: 'because of nothing' };
        const { steps } = gated(assessment, { steps: [planned], waits: [] });
        passed += steps.length;
        const wrong = violations({ ...plan, steps, situation: 'healing' }, seen);
        expect(wrong.filter((text) => ofTheGate.test(text))).toEqual([]);
      }
    }),
    parameters,
  );
  // The gate must let some steps through to be of any use.
  expect(passed).toBeGreaterThan(0);
});

/** The gate is asked only about objects of this cluster. */
function isOwn({ pods, volumes }: Observation, step: Step): boolean {
  if (step.do !== 'deletePod' && step.do !== 'deleteVolume') return true;
  const found = [...(step.do === 'deletePod' ? pods : volumes)].find(({ name }) => name === step.name);
  return found?.ownership === 'ours';
}
