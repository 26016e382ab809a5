// SPDX-License-Identifier: Apache-2.0
import { counted, isOrAre } from '@etcd-operator/operator';
import type { PlanSimulation, SimulatedStep, SimulationEnd } from '../plan/simulate-plan.ts';
import type { SpecChange } from '../plan/spec-changes.ts';
import { describeUnreached, type UnreachedMember } from '../unreached.ts';
import type { Report } from './print.ts';

export interface PlanInput {
  readonly cluster: { readonly name: string; readonly namespace: string };
  /** The file with the changed spec; undefined if the spec is unchanged. */
  readonly file: string | undefined;
  readonly isNew: boolean;
  readonly changes: readonly SpecChange[];
  readonly simulation: PlanSimulation;
  readonly unreached: readonly UnreachedMember[];
}

/** The operator's steps in order, how they would end, and whether quorum would be kept. */
export function planReport(input: PlanInput): Report {
  const { cluster, changes, simulation, isNew, unreached } = input;
  return {
    data: {
      ...cluster,
      exists: !isNew,
      changes,
      steps: simulation.steps,
      end: simulation.end,
      quorumSurvives: keepsQuorum(simulation),
      assumption,
      unreached,
    },
    lines: () => planLines(input),
  };
}

/** True if no step breaks the quorum of a cluster that serves already. */
export function keepsQuorum({ steps }: PlanSimulation): boolean {
  return steps.every((step) => step.keepsQuorum);
}

const assumption =
  "simulated from the present cluster with the operator's own planner, which assumes that each step succeeds and that each pod starts";

function planLines({ cluster, file, isNew, changes, simulation, unreached }: PlanInput): readonly string[] {
  const { steps, end } = simulation;
  const of = `EtcdCluster ${cluster.namespace}/${cluster.name}`;
  const title =
    file === undefined
      ? `${of}: what the operator would do now`
      : `${of}: what the operator would do after ${file} is applied`;
  return [
    `${title}${isNew ? ' (new cluster)' : ''}`,
    '',
    ...changeLines(changes, file, isNew),
    ...unreachedLines(unreached),
    ...(steps.length === 0 ? ['No steps.'] : [`Steps (${assumption}):`]),
    ...steps.map((step, index) => stepLine(step, index, String(steps.length).length)),
    '',
    endLine(end),
    ...verdictLines(simulation),
  ];
}

function changeLines(changes: readonly SpecChange[], file: string | undefined, isNew: boolean): readonly string[] {
  if (file === undefined || isNew) return [];
  if (changes.length === 0) return ['The spec is the same.', ''];
  return ['Changes:', ...changes.map(({ path, from, to }) => `  ${path}: ${show(from)} -> ${show(to)}`), ''];
}

/** The planner sees what the plugin sees. */
function unreachedLines(members: readonly UnreachedMember[]): readonly string[] {
  if (members.length === 0) return [];
  return [
    `Not reachable from here: ${describeUnreached(members)}. The steps below assume that the operator does not reach these members either. An operator that reaches them plans other steps.`,
    '',
  ];
}

function show(value: unknown): string {
  return value === undefined ? '(not set)' : typeof value === 'string' ? value : JSON.stringify(value);
}

function stepLine({ reason, voters, present, quorum }: SimulatedStep, index: number, width: number): string {
  const state = voters === 0 ? '' : `  [${present} of ${counted(voters, 'voter')}, ${quorum} needed]`;
  return `  ${String(index + 1).padStart(width)}. ${reason}${state}`;
}

function endLine(end: SimulationEnd): string {
  switch (end.kind) {
    case 'settled':
      return 'After these steps, nothing is left to do.';
    case 'waits':
      return `After these steps, the operator waits: ${end.waitingFor.join(' ')}`;
    case 'cut':
      return `The simulation was stopped after ${counted(end.after, 'step')}, because it did not reach a stable state.`;
  }
}

function verdictLines(simulation: PlanSimulation): readonly string[] {
  const withVoters = simulation.steps
    .map((step, index) => ({ ...step, number: index + 1 }))
    .filter((step) => step.voters > 0);
  const [tightest] = [...withVoters].sort(
    (a, b) => a.present - a.quorum - (b.present - b.quorum) || a.number - b.number,
  );
  if (!tightest) return [];
  const { number, present, voters, quorum } = tightest;
  const moment = `at step ${number}: ${present} of ${counted(voters, 'voter')} ${isOrAre(present, voters)} reachable, ${quorum} ${isOrAre(quorum)} needed`;
  return keepsQuorum(simulation)
    ? [`The cluster keeps its quorum. The fewest members are reachable ${moment}.`]
    : [`QUORUM IS LOST for a short time: ${moment}.`];
}
