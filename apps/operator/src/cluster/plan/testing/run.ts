// SPDX-License-Identifier: Apache-2.0
import { planCluster } from '../plan.ts';
import { changesVoters } from '../step.ts';
import type { World } from './world.ts';

/** Lets the planner run the world until it has nothing more to do, or fails after `limit` rounds with the trail of steps. */
export function runToRest(world: World, limit = 300): void {
  for (let round = 0; round < limit; round++) {
    const plan = planCluster(world.observe(), world.now);
    if (plan.steps.filter(({ step }) => changesVoters(step)).length > 1)
      throw new Error('SAFETY: two changes of voters in one plan');
    for (const { step } of plan.steps) world.apply(step);
    if (plan.situation === 'steady' && plan.steps.length === 0) return;
    world.tick();
  }
  const plan = planCluster(world.observe(), world.now);
  throw new Error(
    `not at rest after ${limit} rounds: ${plan.situation}, waits for ${plan.waits.map((wait) => wait.reason).join('; ')}\n` +
      `last steps: ${world.log.slice(-40).join(' ')}`,
  );
}

/** Lets the planner run for some rounds, whatever state it ends in. */
export function runFor(world: World, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const plan = planCluster(world.observe(), world.now);
    for (const { step } of plan.steps) world.apply(step);
    world.tick();
  }
}
