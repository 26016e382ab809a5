// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterStatus } from './api/etcd-cluster.ts';
import { planCluster } from './cluster/plan/plan.ts';
import {
  answers,
  type Change,
  cluster,
  corrupt,
  down,
  healthy,
  noQuorum,
  nothing,
  now,
  pod,
  see,
  spec,
} from './cluster/plan/testing/situations/vocabulary.ts';
import { conditionsOf } from './cluster/status/conditions.ts';
import { statusOf } from './cluster/status/status.ts';
import {
  backupScene,
  clusterScene,
  clusterScenes,
  restoreScenes,
  type Scene,
} from './testing/gitops/standard-scenes.ts';

const standard = ({ object }: Scene) =>
  (object.status.conditions ?? []).filter(({ type }) => ['Ready', 'Reconciling', 'Stalled'].includes(type));

/** The state of the standard conditions and its reason. */
const told = (scene: Scene) => {
  const conditions = standard(scene);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const other = conditions.find(({ type }) => type !== 'Ready');
  return `${other?.type ?? (ready?.status === 'True' ? 'Ready' : 'not Ready')}: ${ready?.reason}`;
};

const paused = cluster((facts) => ({ ...facts, paused: true }));
const lost = [healthy(3), down(5_000, 'c', 'd'), noQuorum];

describe('an EtcdCluster', () => {
  test.each<readonly [string, readonly Change[], string]>([
    ['is as its spec asks', [healthy(3)], 'Ready: Cluster available'],
    ['is being bootstrapped', [], 'Reconciling: Bootstrapping'],
    ['is to grow', [healthy(3), spec({ size: 5 })], 'Reconciling: Scaling up'],
    ['is to shrink', [healthy(5), spec({ size: 3 })], 'Reconciling: Scaling down'],
    ['is being upgraded', [healthy(3), spec({ version: '3.6.17' })], 'Reconciling: Cluster upgrading'],
    ['has a pod that is not Ready', [healthy(3), pod('b', { ready: false })], 'Reconciling: Degraded'],
    ['has lost its quorum', lost, 'Stalled: QuorumLost'],
    ['is paused, and serves', [healthy(3), paused], 'Ready: Paused'],
    ['is paused without a quorum', [...lost, paused], 'Stalled: Paused'],
    ['is being deleted', [healthy(3), cluster((facts) => ({ ...facts, deleting: true }))], 'not Ready: Deleting'],
    [
      'has a spec that is not valid',
      [healthy(3), cluster((facts) => ({ ...facts, desired: { problems: ['spec.size is 0'] } }))],
      'Stalled: SpecInvalid',
    ],
    [
      'asks for pods that are not allowed',
      [healthy(3), cluster((facts) => ({ ...facts, refusals: ['spec.pod.x is true.'] }))],
      'Stalled: NotAllowed',
    ],
    ['is out of space', [healthy(3), answers({ alarms: ['memberID:12 alarm:NOSPACE '] })], 'Stalled: NoSpace'],
    [
      'replaces a member whose data differs',
      [healthy(3), corrupt({ b: 1, c: 2, d: 1 })],
      'Reconciling: ReplacingMember',
    ],
    ['does not know whose data is right', [healthy(3), corrupt({ b: 1, c: 2, d: 3 })], 'Stalled: Corrupt'],
    ['has a Secret that is not valid', [healthy(3), see({ secretProblems: ['x'] })], 'Stalled: SecretUnusable'],
    ['waits for a Secret at first', [see({ secretProblems: ['x'] })], 'Reconciling: SecretUnusable'],
    ['is held at its version', [healthy(3), spec({ version: '3.8.0' })], 'Stalled: UpgradeHeld'],
    [
      'has a Service of another owner',
      [healthy(3), see({ services: { peer: 'current', client: 'otherOwner' } })],
      'Stalled: OtherOwner',
    ],
    [
      'waits for the CoreOS etcd-operator',
      [healthy(3), see({ coreosOperator: 'l' })],
      'Stalled: CoreOSOperatorRunning',
    ],
  ])('that %s', (name, given, expected) => {
    expect(told(clusterScene(name, given))).toBe(expected);
  });

  test('with a step that the API server refuses names the step', () => {
    const observation = healthy(3)(nothing());
    const plan = { ...planCluster(spec({ size: 5 })(observation), now), trouble: 'Creating pod a. Failed: quota.' };
    const conditions = conditionsOf(observation, plan, true);
    expect(conditions.find(({ type }) => type === 'Stalled')).toMatchObject({
      reason: 'StepFailed',
      message: 'Creating pod a. Failed: quota.',
    });
  });

  test.each(clusterScenes)('of the planner’s table has one answer: $name', (scene) => {
    const states = standard(scene).map(({ type, status }) => `${type}=${status}`);
    expect([
      ['Ready=True'],
      ['Ready=False'],
      ['Ready=False', 'Reconciling=True'],
      ['Ready=False', 'Stalled=True'],
    ]).toContainEqual(states);
    const withoutReason = standard(scene).filter(
      ({ type, reason, message }) => !reason || (type !== 'Ready' && !message),
    );
    expect(withoutReason).toEqual([]);
  });
});

describe('the generation that was acted upon', () => {
  const observed = (previous: EtcdClusterStatus | undefined, ...given: readonly Change[]) => {
    const observation = given.reduce((seen, change) => change(seen), nothing());
    return statusOf(previous, observation, planCluster(observation, now), 'x').observedGeneration;
  };

  test('is that of the spec, also of one that is refused', () => {
    expect(observed({ observedGeneration: 1 }, healthy(3))).toBe(2);
    const invalid = cluster((facts) => ({ ...facts, desired: { problems: ['spec.size is 0'] } }));
    expect(observed({ observedGeneration: 1 }, healthy(3), invalid)).toBe(2);
  });

  test('is that of the pause while the cluster is paused, whatever the spec asks for meanwhile', () => {
    expect(observed({ observedGeneration: 1, controlPaused: false }, healthy(3), paused)).toBe(2);
    expect(observed({ observedGeneration: 1, controlPaused: true }, healthy(3), paused)).toBe(1);
  });

  test('is not that of a spec that the CoreOS etcd-operator acts upon', () => {
    const running = see({ coreosOperator: 'lock' });
    expect(observed({ observedGeneration: 1 }, healthy(3), running)).toBe(1);
    expect(observed({}, healthy(3), running)).toBeUndefined();
  });
});

const failedOnce = {
  succeeded: false,
  attempts: 1,
  Reason: 'no',
  observedGeneration: 1,
  nextAttemptDate: '2026-01-01T12:00:30Z',
  conditions: [{ type: 'Succeeded', status: 'False', reason: 'BucketMissing', message: 'no bucket' }],
} as const;
const made = {
  succeeded: true,
  lastSuccessDate: '2026-01-01T11:59:59Z',
  lastScheduleDate: '2026-01-01T11:59:59Z',
  lastBackup: { path: 'bucket/key', bytes: 1, sha256: 'a', durationSeconds: 1 },
} as const;

test.each<readonly [string, Scene, string]>([
  ['that is due', backupScene('due', {}), 'Reconciling: Pending'],
  ['that is made', backupScene('made', made), 'Ready: Verified'],
  ['that failed and is retried', backupScene('failed', failedOnce), 'Stalled: BucketMissing'],
  ['that waits for its first time', backupScene('first', {}, 3_600_000), 'Ready: Pending'],
  ['of a series that works', backupScene('series', made, 3_600_000), 'Ready: Pending'],
  [
    'of a series whose last try failed',
    backupScene('series', { ...failedOnce, lastScheduleDate: '2026-01-01T10:00:00Z' }, 3_600_000),
    'Stalled: BucketMissing',
  ],
])('an EtcdBackup %s', (_name, scene, expected) => {
  expect(told(scene)).toBe(expected);
});

test('an EtcdBackup loses Stalled when it works again', () => {
  const stalled = backupScene('failed', failedOnce).object.status;
  expect(told(backupScene('again', { ...stalled, ...made, attempts: 0 } as typeof made))).toBe('Ready: Verified');
});

test('an EtcdRestore is Ready when it has succeeded, Stalled when it has failed, and Reconciling until then', () => {
  const states = restoreScenes.map((scene) => told(scene).split(':')[0]);
  expect(states).toEqual([...Array(8).fill('Reconciling'), 'Ready', 'Reconciling', 'Stalled']);
});
