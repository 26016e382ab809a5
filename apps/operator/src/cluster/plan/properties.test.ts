// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import { planCluster } from './plan.ts';
import { now, observations } from './testing/arbitrary.ts';
import { violations } from './testing/safety.ts';
import { situations } from './testing/situations/index.ts';
import { nothing, now as tableNow } from './testing/situations/vocabulary.ts';

/** To try another seed: `PLAN_SEED=... npm test -- apps/operator/src/cluster/plan`. */
const parameters = { seed: Number(process.env['PLAN_SEED'] ?? 6), numRuns: Number(process.env['PLAN_RUNS'] ?? 5_000) };

/** The same observation with its lists in another order. */
function reordered(seen: Observation): Observation {
  const { membership, answers } = seen.etcd;
  return {
    ...seen,
    pods: seen.pods.toReversed(),
    volumes: seen.volumes.toReversed(),
    imageChecks: seen.imageChecks,
    nodes: new Map([...seen.nodes].reverse()),
    etcd: {
      ...seen.etcd,
      answers: new Map([...answers].reverse()),
      membership:
        membership.kind === 'known' ? { ...membership, members: membership.members.toReversed() } : membership,
    },
  };
}

describe('whatever is seen', () => {
  test('a plan comes out, and nothing in it is unsafe', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        expect(violations(planCluster(seen, now), seen)).toEqual([]);
      }),
      parameters,
    );
  });

  test('the same view gives the same plan, so that two operators collide instead of diverging', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const { steps, waits, situation } = planCluster(seen, now);
        const again = planCluster(reordered(seen), now);
        expect({ steps, waits, situation }).toEqual({
          steps: again.steps,
          waits: again.waits,
          situation: again.situation,
        });
      }),
      { ...parameters, numRuns: Math.ceil(parameters.numRuns / 4) },
    );
  });
});

describe('the same checks over the table', () => {
  test('no row is unsafe', () => {
    for (const row of Object.values(situations).flat()) {
      const seen = row.given.reduce((view, change) => change(view), nothing());
      expect([row.name, violations(planCluster(seen, tableNow), seen)]).toEqual([row.name, []]);
    }
  });
});
