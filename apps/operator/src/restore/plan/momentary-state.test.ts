// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { RestoreObservation } from '../observation.ts';
import { finalState } from '../testing/final-state.ts';
import { RestoreModel, run } from '../testing/model.ts';
import { planRestore } from './plan.ts';
import { outlasted, userTimeout } from './proposal.ts';

const now = 1_000_000;
const why = 'it does not answer';

/** A state that an observation may show for a moment: it is no fault, and the next observation no longer shows it. */
type Moment = (seen: RestoreObservation) => RestoreObservation;

const job =
  (name: keyof RestoreObservation['jobs'], state: 'failed' | 'running'): Moment =>
  (seen) => {
    const failed = { kind: 'failed', why, passes: true, failingFor: 0 } as const;
    const again = { kind: 'running', bytes: 0, lastFailure: why } as const;
    return { ...seen, jobs: { ...seen.jobs, [name]: state === 'failed' ? failed : again } };
  };

const ofCluster =
  (change: Partial<NonNullable<RestoreObservation['cluster']>>): Moment =>
  (seen) => ({ ...seen, cluster: seen.cluster && { ...seen.cluster, ...change } });

const ofPods =
  (change: Partial<RestoreObservation['pods'][number]>): Moment =>
  (seen) => ({ ...seen, pods: seen.pods.map((pod) => ({ ...pod, ...change })) });

const ofSeed =
  (change: Partial<NonNullable<RestoreObservation['seed']>>): Moment =>
  (seen) => ({ ...seen, seed: seen.seed && { ...seen.seed, ...change } });

const loginProblem = 'the restored cluster rejects the credentials';

const moments: readonly (readonly [string, Moment])[] = [
  ...(['inspect', 'verify', 'save', 'deliver'] as const).flatMap((name) => [
    [`an attempt to ${name} failed for what passes`, job(name, 'failed')] as const,
    [`an attempt to ${name} is repeated`, job(name, 'running')] as const,
  ]),
  ['a Secret of the cluster is not there yet', ofCluster({ secretProblems: ['secret/tls does not exist'] })],
  ['the etcd-operator is not there', ofCluster({ acknowledged: '', isAvailable: false })],
  ['the EtcdCluster is not available', ofCluster({ isAvailable: false })],
  ['no pod is Ready', ofPods({ ready: false })],
  ['no etcd runs', ofPods({ running: false, ready: false })],
  ['the new member does not answer', ofSeed({ answer: undefined })],
  [
    'the new member does not let the operator in',
    (seen) => ofSeed({ answer: seen.seed?.answer && { ...seen.seed.answer, loginProblem } })(seen),
  ],
  [
    'the new member has no leader',
    (seen) => ofSeed({ answer: seen.seed?.answer && { ...seen.seed.answer, hasLeader: false } })(seen),
  ],
  ['the new member is not seen', (seen) => ({ ...seen, seed: undefined })],
  [
    'pods of another cluster are in the way',
    (seen) => ({ ...seen, otherOwnerPods: [{ name: 'f', node: 'n', isOnLostNode: false }] }),
  ],
];

/** All observations during a successful restore. */
function looks(model: RestoreModel): readonly RestoreObservation[] {
  return Array.from({ length: 60 }, () => {
    const seen = model.observation();
    model.pass(Number.POSITIVE_INFINITY);
    return seen;
  });
}

const ways: readonly (readonly [string, () => RestoreModel])[] = [
  ['into a cluster that serves', () => new RestoreModel()],
  ['into a cluster of which volumes are left', () => new RestoreModel({ left: 'volumes' })],
  ['into a cluster whose data is in its pods', () => new RestoreModel({ left: 'pods' })],
  ['into a new cluster', () => new RestoreModel({}, false)],
  ['of a cluster that serves, as a copy', () => new RestoreModel({ isClone: true }, false)],
];

const isEnd = (phase: string | undefined) => phase === 'Failed' || phase === 'RollingBack';

describe.each(ways)('a restore %s', (_way, begin) => {
  test('goes well if nothing happens', () => {
    expect(finalState(run(begin()))).toMatchObject({ phase: 'Succeeded', wrongs: [] });
  });

  test.each(moments)('is not ended by one look at which %s', (_what, moment) => {
    const ended = looks(begin())
      .filter(({ restore }) => restore.ended === undefined)
      .map((seen) => planRestore(moment(seen), now).report)
      .filter((report) => isEnd(report?.phase));
    expect(ended).toEqual([]);
  });
});

describe('what others bring', () => {
  const preparing = looks(new RestoreModel()).find(({ restore, cluster }) => restore.source && !cluster?.marker);
  const nameless = looks(new RestoreModel({}, false)).find(({ restore, cluster }) => restore.source && !cluster);
  const without = (seen: RestoreObservation | undefined): RestoreObservation => {
    if (!seen?.restore.source) throw new Error('the model records a source before it goes on');
    return seen;
  };
  const source = nameless?.restore.source && { ...nameless.restore.source, cluster: undefined };

  test.each<readonly [string, RestoreObservation, string]>([
    [
      'a Secret',
      ofCluster({ secretProblems: ['secret/tls does not exist'] })(without(preparing)),
      'secret/tls does not exist',
    ],
    [
      'an EtcdCluster that nothing says how to make',
      { ...without(nameless), restore: { ...without(nameless).restore, source } },
      'EtcdCluster c does not exist',
    ],
  ])('is waited for, visibly and not for ever: %s', (_what, seen, reason) => {
    const plan = planRestore(seen, now);
    expect(plan).toMatchObject({ steps: [], report: { phase: 'Preparing' } });
    expect(plan.report?.reason).toContain(reason);
    expect(outlasted(plan, userTimeout - 1)).toBe(plan);
    const { report } = outlasted(plan, userTimeout);
    expect(report?.phase).toBe('Failed');
    expect(report?.reason).toContain(reason);
  });
});

describe('a safety snapshot that cannot be begun', () => {
  const saving = (policy: 'Required' | 'IfPossible', failingFor: number) => {
    const seen = looks(new RestoreModel({ policy })).find(({ jobs }) => jobs.save.kind === 'running');
    if (!seen) throw new Error('the model saves');
    const save = { kind: 'failed', why, passes: true, failingFor } as const;
    return planRestore({ ...seen, jobs: { ...seen.jobs, save } }, now);
  };

  test.each(['Required', 'IfPossible'] as const)('is begun again, and nothing goes on without it (%s)', (policy) => {
    const { steps, report } = saving(policy, 60_000);
    expect(steps.map(({ step }) => step.do)).toEqual(['save']);
    expect(report).toEqual({ phase: 'SavingPresent', reason: `${why}; trying again` });
  });

  test('ends the restore, or is left out as the spec allows, after two minutes', () => {
    expect(saving('Required', 120_000).report).toMatchObject({ phase: 'RollingBack' });
    expect(saving('IfPossible', 120_000).report?.safety).toEqual({ kind: 'skipped', why });
  });
});
