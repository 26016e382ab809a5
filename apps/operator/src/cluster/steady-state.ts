// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '@etcd-operator/kube';
import type { ClusterCredentials, MemberTarget } from './etcd/member-pool.ts';
import type { Answer, EtcdView, Observation } from './observation.ts';
import type { ClusterObjects } from './observe/gather.ts';
import type { Plan } from './plan/plan.ts';

/** What a cluster was observed to be, besides etcd's answers. */
export interface Ground {
  readonly found: ClusterObjects;
  /** Of the secrets; the same object as long as they say the same. */
  readonly credentials: ClusterCredentials;
  readonly secretProblems: readonly string[];
  readonly oldOperator: string | undefined;
}

/**
 * A cluster with nothing to do, as it was last looked at. While all of it stays as it is, so does the plan, which needs not be
 * made again: of a thousand clusters nearly all are steady, and asking their etcd is all they should cost.
 */
export interface SteadyState extends Ground {
  readonly targets: readonly MemberTarget[];
  readonly etcd: EtcdView;
  /** When all of it was observed, by the monotonic clock. */
  readonly since: number;
}

/** Figures that move by themselves are left out of the comparison: everything is observed this often anyway, in milliseconds. */
const longestSteady = 60_000;

/** True if a plan holds as long as what it was made of: nothing to do, nothing to wait for, and every member answers. */
export function isSteady({ situation, steps, waits, retryAfter }: Plan, { etcd }: Observation): boolean {
  const isDone = situation === 'steady' && steps.length === 0 && waits.length === 0 && retryAfter === undefined;
  return isDone && [...etcd.answers.values()].every(({ kind }) => kind === 'status');
}

/** True if only etcd has to be asked. Objects of caches are never changed in place. */
export function isUnchanged(last: SteadyState, ground: Ground, monotonic: number): boolean {
  return (
    monotonic - last.since < longestSteady &&
    last.oldOperator === ground.oldOperator &&
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

/** True if etcd says what it said before, but for figures that move by themselves. */
export function saysNothingNew(before: EtcdView, now: EtcdView): boolean {
  if (!jsonEqual(before.membership, now.membership) || before.answers.size !== now.answers.size) return false;
  return [...now.answers].every(([name, answer]) =>
    jsonEqual(withoutFigures(before.answers.get(name)), withoutFigures(answer)),
  );
}

/** Revision and size stay: the status shows them. */
function withoutFigures(answer: Answer | undefined): unknown {
  if (answer?.kind !== 'status') return answer;
  const { raftIndex: _index, raftAppliedIndex: _applied, ...rest } = answer;
  return rest;
}
