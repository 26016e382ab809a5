// SPDX-License-Identifier: Apache-2.0
import { assertFresh } from '../../act/plan-age.ts';
import { pauseBefore, withDone } from '../../act/repeated-steps.ts';
import { statusOf } from '../../status/status.ts';
import { type Plan, planCluster } from '../plan.ts';
import { isDestructive } from '../step.ts';
import { applyStep, type Extent } from './apply.ts';
import { SafetyViolation } from './model-etcd.ts';
import { type KubernetesView, observeWorld } from './observe.ts';
import { violations } from './safety.ts';
import type { World } from './world.ts';

/** What goes wrong in one reconciliation. */
export interface Pass {
  /** The older state that caches show. @default `kubernetesView(world)`, the present state */
  readonly kubernetes?: KubernetesView;
  /**
   * The operator's process dies before the step with this number or, with `half`, in the middle of the step. It does not die if this is
   * absent.
   */
  readonly diesAt?: number;
  readonly extent?: Extent;
  /** For how many milliseconds the operator's process is stopped between planning and acting, while the model continues. @default 0 */
  readonly stopsFor?: number;
  /** What happens as soon as the process is stopped. */
  readonly meanwhile?: (world: World) => void;
}

/** One reconciliation: observe, plan, act, report. */
export function pass(world: World, how: Pass = {}): Plan {
  let observation = observeWorld(world, how.kubernetes);
  let plan = planCluster(observation, world.now);
  if (how.kubernetes && plan.steps.some(({ step }) => isDestructive(step))) {
    // The operator bootstraps or destroys only on the basis of a fresh read from the API server.
    observation = observeWorld(world);
    plan = planCluster(observation, world.now);
  }
  const [wrong] = [...violations(plan, observation), ...removalsNotAskedFor(plan, world)];
  if (wrong !== undefined) throw new SafetyViolation(wrong);
  if (how.stopsFor) {
    const begun = world.now;
    how.meanwhile?.(world);
    for (let slept = 0; slept < how.stopsFor; slept += 5_000) world.tick(5_000);
    if (isTooOld(begun, world.now)) return plan;
  }
  if (!act(world, plan, how)) world.restartOperator();
  else {
    world.status = statusOf(world.status, observation, plan, new Date(world.now).toISOString());
  }
  return plan;
}

/** Safety rule 13: a voter that only an outdated spec asks to remove must not be removed. */
function removalsNotAskedFor(plan: Plan, { desired, etcd }: World): readonly string[] {
  if (etcd.members.length > desired.size) return [];
  return plan.steps.flatMap(({ step }) =>
    step.do === 'removeMember' && step.because === 'scale' && etcd.voters().some(({ id }) => id === step.memberId)
      ? [`${step.name} is removed from ${etcd.members.length} members, and spec.size is ${desired.size}`]
      : [],
  );
}

function isTooOld(begun: number, now: number): boolean {
  try {
    assertFresh(begun, now);
    return false;
  } catch {
    return true;
  }
}

/** False if the operator's process died before it finished. */
export function act(world: World, plan: Plan, { diesAt, extent = 'whole' }: Pass = {}): boolean {
  for (const [index, { step }] of plan.steps.entries()) {
    if (index === diesAt) {
      if (extent === 'half') applyStep(world, step, 'half');
      return false;
    }
    if (pauseBefore(step, world.memory.done, world.now) > 0) continue;
    if (!applyStep(world, step)) return true;
    world.memory.done = withDone(step, world.memory.done, world.now);
    if (world.repeats(step)) throw new SafetyViolation(`${step.do} is done again and again, without effect`);
  }
  return diesAt === undefined;
}

/** Runs the operator until it has nothing more to do; fails after `limit` rounds and lists the last steps. */
export function runUntilSettled(world: World, limit = 400): void {
  for (let round = 0; round < limit; round++) {
    const plan = pass(world);
    if (plan.situation === 'steady' && plan.steps.length === 0 && !world.isEnding()) return;
    world.tick(pause(plan));
  }
  const plan = planCluster(observeWorld(world), world.now);
  throw new Error(
    `not at rest after ${limit} rounds: ${plan.situation}, waits for ${plan.waits.map((wait) => wait.reason).join('; ')}\n` +
      `last steps: ${world.log.slice(-40).join(' ')}`,
  );
}

/** Milliseconds until the next reconciliation: if there are no steps, the model skips ahead to the next retry. */
export function pause({ steps, retryAfter }: Plan): number {
  return steps.length > 0 ? 1_000 : Math.max(1_000, retryAfter ?? 0);
}

/** Runs the operator for this number of rounds, whatever the final state is. */
export function runFor(world: World, rounds: number, milliseconds = 1_000): void {
  for (let round = 0; round < rounds; round++) {
    pass(world);
    world.tick(milliseconds);
  }
}
