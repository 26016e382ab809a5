// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '@operator-parts/kube';
import type { ClusterCredentials, MemberTarget } from './etcd/member-pool.ts';
import type { Answer, EtcdView, Observation } from './observation.ts';
import type { ClusterObjects } from './observe/gather.ts';
import type { Plan } from './plan/plan.ts';

/** The observed state of a cluster without the answers of etcd. */
export interface Ground {
  readonly found: ClusterObjects;
  /** From the Secrets; the same object as long as their content is the same. */
  readonly credentials: ClusterCredentials;
  readonly secretProblems: readonly string[];
  readonly coreosOperator: string | undefined;
}

/**
 * A cluster that needs no step, as it was last observed. While nothing changes, the plan stays the same and is not made again. Of a
 * thousand clusters, nearly all need no step. The operator then only asks their etcd.
 */
export interface SteadyState extends Ground {
  readonly targets: readonly MemberTarget[];
  readonly etcd: EtcdView;
  /** When all of this was observed, by the monotonic clock. */
  readonly since: number;
}

/**
 * How long a state is used, in milliseconds. Afterwards everything is observed again, because figures that change constantly are not
 * compared.
 */
const longestSteady = 60_000;

/** True if the plan holds until something changes: nothing to do, nothing to wait for, and every member answers. */
export function isSteady({ situation, steps, waits, retryAfter }: Plan, { etcd }: Observation): boolean {
  const isDone = situation === 'steady' && steps.length === 0 && waits.length === 0 && retryAfter === undefined;
  return isDone && [...etcd.answers.values()].every(({ kind }) => kind === 'status');
}

/**
 * True if only etcd has to be asked. Objects in caches are never changed in place, so it is enough to compare whether they are the same
 * objects.
 */
export function isUnchanged(last: SteadyState, ground: Ground, monotonic: number): boolean {
  return (
    monotonic - last.since < longestSteady &&
    last.coreosOperator === ground.coreosOperator &&
    last.credentials === ground.credentials &&
    areSame(last.secretProblems, ground.secretProblems) &&
    isSameFinding(last.found, ground.found)
  );
}

function isSameFinding(a: ClusterObjects, b: ClusterObjects): boolean {
  return (
    a.cluster === b.cluster &&
    a.peerService === b.peerService &&
    a.clientService === b.clientService &&
    a.budget === b.budget &&
    areSame(a.pods, b.pods) &&
    areSame(a.imageChecks, b.imageChecks) &&
    areSame(a.volumes, b.volumes) &&
    areSame([...a.nodes.values()], [...b.nodes.values()])
  );
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** True if etcd reports the same as before, except for figures that change constantly. */
export function saysNothingNew(before: EtcdView, now: EtcdView): boolean {
  if (!jsonEqual(before.membership, now.membership) || before.answers.size !== now.answers.size) return false;
  return [...now.answers].every(([name, answer]) =>
    jsonEqual(withoutFigures(before.answers.get(name)), withoutFigures(answer)),
  );
}

/** Revision and size are compared, because the status shows them. */
function withoutFigures(answer: Answer | undefined): unknown {
  if (answer?.kind !== 'status') return answer;
  const { raftIndex: _index, raftAppliedIndex: _applied, ...rest } = answer;
  return rest;
}
