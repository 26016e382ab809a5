// SPDX-License-Identifier: Apache-2.0

import { type Assessment, type Observation, type Plan, planCluster, type Step } from '@etcd-operator/operator';
import { quorum } from '@operator-parts/etcd';
import { simulateStep } from './simulate-step.ts';

/** One step of a simulation, and the state of the voters during it. */
export interface SimulatedStep {
  readonly do: Step['do'];
  readonly reason: string;
  /** Voters during the step; 0 while there is no cluster yet. */
  readonly voters: number;
  /** Those of them that are healthy. */
  readonly present: number;
  readonly quorum: number;
  readonly keepsQuorum: boolean;
}

/** How it ends: nothing is left to do, it waits for time or the user, or it does not end. */
export type SimulationEnd =
  | { readonly kind: 'settled' }
  | { readonly kind: 'waits'; readonly situation: Plan['situation']; readonly waitingFor: readonly string[] }
  | { readonly kind: 'cut'; readonly after: number };

export interface PlanSimulation {
  readonly steps: readonly SimulatedStep[];
  readonly end: SimulationEnd;
}

/** More than the longest change: from one member of the oldest version to seven of the newest. */
const mostSteps = 400;
/** How many consecutive plans may only wait before the simulation ends. */
const mostWaits = 50;

/**
 * Runs the operator's own planner repeatedly on the observation after each successful step, until nothing is left to
 * do. Pure. The real cluster is not touched.
 */
export function simulatePlan(observation: Observation, now: number): PlanSimulation {
  const steps: SimulatedStep[] = [];
  let world = observation;
  let time = now;
  let waits = 0;
  while (steps.length <= mostSteps) {
    const plan = planCluster(world, time);
    const end = endOf(plan, world, waits);
    if (end) return { steps, end };
    waits = plan.steps.length > 0 ? 0 : waits + 1;
    steps.push(...plan.steps.map(({ step, reason }) => simulatedStep(step, reason, plan.assessment)));
    for (const { step } of plan.steps) world = simulateStep(world, step, time);
    time += plan.steps.length > 0 ? 1_000 : (plan.retryAfter ?? 1_000);
  }
  return { steps: steps.slice(0, mostSteps), end: { kind: 'cut', after: mostSteps } };
}

/** Undefined while there is something to do, or a wait that time may end. */
function endOf(plan: Plan, world: Observation, waits: number): SimulationEnd | undefined {
  if (plan.steps.length > 0) return undefined;
  if (plan.waits.length === 0) return isSteady(plan) ? { kind: 'settled' } : waiting(plan, world);
  return waits >= mostWaits ? waiting(plan, world) : undefined;
}

/** Situations in which nothing is planned because nothing is allowed. */
function isSteady({ situation }: Plan): boolean {
  return situation !== 'paused' && situation !== 'invalid' && situation !== 'deleting';
}

function waiting({ situation, waits }: Plan, { cluster }: Observation): SimulationEnd {
  const problems = 'problems' in cluster.desired ? cluster.desired.problems : [];
  const words =
    situation === 'paused' ? ['spec.paused is true: the operator does nothing until spec.paused is false'] : problems;
  return { kind: 'waits', situation, waitingFor: waits.length > 0 ? waits.map(({ reason }) => reason) : words };
}

function simulatedStep(step: Step, reason: string, assessment: Assessment | undefined): SimulatedStep {
  const { voters, present } = worstMoment(step, assessment);
  const needed = voters === 0 ? 0 : quorum(voters);
  return { do: step.do, reason, voters, present, quorum: needed, keepsQuorum: present >= needed };
}

/** A step that stops a voter removes it from the count during the step; a membership change counts as done. */
function worstMoment(step: Step, assessment: Assessment | undefined) {
  const voters = assessment?.voters.length ?? 0;
  const present = assessment?.presentVoters.length ?? 0;
  const answers = (name: string) => (assessment?.presentVoters.some((view) => view.name === name) ? 1 : 0);
  const isVoter = (name: string) => (assessment?.voters.some((view) => view.name === name) ? 1 : 0);
  switch (step.do) {
    case 'setImage':
      return { voters, present: present - answers(step.pod) };
    case 'deletePod':
      return { voters, present: present - answers(step.name) };
    case 'removeMember':
      return { voters: voters - isVoter(step.name), present: present - answers(step.name) };
    case 'promote':
      return { voters: voters + 1, present: present + 1 };
    case 'joinMember':
      // A voter counts as soon as it is added, and is healthy only when its pod has started.
      return { voters: voters + (step.learner ? 0 : 1), present };
    case 'ensureService':
    case 'ensureBudget':
    case 'deleteBudget':
    case 'recordIdentity':
    case 'createSeed':
    case 'createPod':
    case 'clearBootstrap':
    case 'moveLeader':
    case 'readdress':
    case 'renewBootList':
    case 'deleteVolume':
    case 'isolatePod':
    case 'unisolatePod':
    case 'updatePod':
    case 'checkImage':
    case 'deleteImageCheck':
    case 'confirmImage':
    case 'setSnapshotCount':
    case 'nudgeSnapshot':
    case 'enableDowngrade':
    case 'cancelDowngrade':
    case 'disarmAlarm':
    case 'resizePod':
    case 'recoverQuorum':
      return { voters, present };
  }
}
