// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '@etcd-operator/kube';
import type { ClusterCredentials, MemberTarget } from './etcd/member-pool.ts';
import type { Answer, EtcdView, Observation } from './observation.ts';
import type { Surroundings } from './observe/gather.ts';
import type { Plan } from './plan/plan.ts';

/** What a look at a cluster was made of, besides etcd's answers. */
export interface Ground {
  readonly found: Surroundings;
  /** Of the secrets; the same object as long as they say the same. */
  readonly credentials: ClusterCredentials;
  readonly secretProblems: readonly string[];
  readonly oldOperator: string | undefined;
}

/**
 * A cluster with nothing to do, as it was last looked at. While all of it stays as it is, so does the plan, which needs not be
 * made again: of a thousand clusters nearly all are at rest, and asking their etcd is all they should cost.
 */
export interface Rest extends Ground {
  readonly targets: readonly MemberTarget[];
  readonly etcd: EtcdView;
  /** Of the whole look, by the monotonic clock. */
  readonly since: number;
}

/** Figures that move by themselves are left out of the comparison: a whole look is due this often anyway, in milliseconds. */
const longestRest = 60_000;

/** True if a plan holds as long as what it was made of: nothing to do, nothing to wait for, and everybody answers. */
export function isAtRest({ situation, steps, waits, lookAgainAfter }: Plan, { etcd }: Observation): boolean {
  const isDone = situation === 'steady' && steps.length === 0 && waits.length === 0 && lookAgainAfter === undefined;
  return isDone && [...etcd.answers.values()].every(({ kind }) => kind === 'status');
}

/** True if nothing but etcd has to be looked at. Objects of caches are never changed in place. */
export function isUndisturbed(rest: Rest, ground: Ground, monotonic: number): boolean {
  return (
    monotonic - rest.since < longestRest &&
    rest.oldOperator === ground.oldOperator &&
    rest.credentials === ground.credentials &&
    areSame(rest.secretProblems, ground.secretProblems) &&
    isSameFinding(rest.found, ground.found)
  );
}

function isSameFinding(a: Surroundings, b: Surroundings): boolean {
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

/** True if etcd says what it said before, but for figures that move by themselves. */
export function saysNothingNew(before: EtcdView, now: EtcdView): boolean {
  if (!jsonEqual(before.membership, now.membership) || before.answers.size !== now.answers.size) return false;
  return [...now.answers].every(([name, answer]) =>
    jsonEqual(withoutFigures(before.answers.get(name)), withoutFigures(answer)),
  );
}

/** The size of the database stays: it is in the metrics. */
function withoutFigures(answer: Answer | undefined): unknown {
  if (answer?.kind !== 'status') return answer;
  const { revision: _revision, raftIndex: _index, raftAppliedIndex: _applied, ...rest } = answer;
  return rest;
}
