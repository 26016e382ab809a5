// SPDX-License-Identifier: Apache-2.0

import { describe, expect, test } from 'vitest';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { statusChanges } from '../../api/status/write-status.ts';
import type { Observation } from '../observation.ts';
import { planCluster } from '../plan/plan.ts';
import {
  addMember,
  addPod,
  answer,
  type Change,
  cluster,
  container,
  down,
  healthy,
  learner,
  noQuorum,
  nothing,
  now,
  pod,
  pods,
  spec,
  withoutPod,
} from '../plan/testing/situations/vocabulary.ts';
import { figuresMoved, saysTheSame, statusOf } from './status.ts';

const early = '2026-11-15T10:00:00Z';
const late = '2026-11-15T11:00:00Z';

function see(...given: readonly Change[]): Observation {
  return given.reduce((seen, change) => change(seen), nothing());
}

function report(observation: Observation, previous?: EtcdClusterStatus, at = early): EtcdClusterStatus {
  return statusOf(previous, observation, planCluster(observation, now), at);
}

const condition = (status: EtcdClusterStatus, type: string) =>
  status.conditions?.find((candidate) => candidate.type === type);

describe('[11] the fields of CoreOS etcd-operator', () => {
  test('a healthy cluster', () => {
    expect(report(see(healthy(3)))).toMatchObject({
      phase: 'Running',
      reason: '',
      controlPaused: false,
      size: 3,
      readySize: 3,
      serviceName: 'c-client',
      clientPort: 2379,
      selector: 'app=etcd,etcd_cluster=c',
      currentVersion: '3.6.16',
      targetVersion: '',
      clusterID: 'c1',
      incarnation: 1,
      observedGeneration: 2,
      members: { ready: ['c-bbbbbbbbbb', 'c-cccccccccc', 'c-dddddddddd'] },
      plan: { next: [], waitingFor: [] },
    });
  });

  test('members are split by readiness; pods that do not run are in neither list', () => {
    const observation = see(
      healthy(5),
      pod('c', { ready: false }),
      pod('d', { phase: 'Pending' }),
      pod('f', { terminating: true }),
      addPod('h', { ownership: 'other' }),
    );
    expect(report(observation).members).toEqual({
      ready: ['c-bbbbbbbbbb', 'c-gggggggggg'],
      unready: ['c-cccccccccc'],
    });
  });

  test('a pod whose member was removed is in neither list', () => {
    expect(report(see(healthy(3), addPod('h', { ready: true }))).members).toEqual({
      ready: ['c-bbbbbbbbbb', 'c-cccccccccc', 'c-dddddddddd'],
    });
  });

  test('readySize counts what clients of the Service reach, and members lists the same pods', () => {
    const unready = report(see(healthy(3), pods({ ready: false })));
    expect(unready).toMatchObject({ phase: 'Creating', size: 3, readySize: 0 });
    expect(unready.members?.unready).toHaveLength(3);
    const partly = report(see(healthy(3), pod('d', { ready: false })));
    expect([partly.readySize, partly.members?.ready?.length, partly.members?.unready?.length]).toEqual([2, 2, 1]);
  });

  test('size is what etcd lists, unmanaged members and learners included', () => {
    const observation = see(healthy(3), learner('f'), addMember('x', { podName: 'db-7', name: 'db-7' }));
    expect(report(observation).size).toBe(5);
  });

  test('size keeps what was last known while no member is reachable', () => {
    const before = report(see(healthy(3)));
    expect(report(see(healthy(3), down(1_000, 'c', 'd'), noQuorum), before)).toMatchObject({ size: 3, readySize: 0 });
  });

  test('[12] paused is visible while it is paused', () => {
    const paused = cluster((facts) => ({ ...facts, paused: true }));
    expect(report(see(healthy(3), paused)).controlPaused).toBe(true);
  });

  test('unknown fields of the past survive', () => {
    const previous = { backupServiceStatus: { x: 1 } } as EtcdClusterStatus;
    expect(report(see(healthy(3)), previous)).toMatchObject({ backupServiceStatus: { x: 1 } });
  });
});

describe('phase', () => {
  test('Creating until it has been available once', () => {
    expect(report(see()).phase).toBe('Creating');
    expect(report(see(healthy(1), spec({ size: 3 })), { phase: 'Creating' }).phase).toBe('Creating');
  });

  test('Running once it was available, trouble or not', () => {
    const before = report(see(healthy(3)));
    expect(report(see(healthy(3), down(1_000, 'c', 'd'), noQuorum), before).phase).toBe('Running');
  });

  test('Failed while a person is needed, with the reason', () => {
    const lost = report(see(healthy(3), withoutPod('b', 'c', 'd'), noQuorum));
    expect(lost).toMatchObject({ phase: 'Failed', reason: expect.stringContaining('restore a backup') });
    expect(report(see(healthy(3), pod('c', { clusterId: 'c9' }))).phase).toBe('Failed');
    const invalid = cluster((facts) => ({ ...facts, desired: { problems: ['no size'] } }));
    expect(report(see(invalid))).toMatchObject({ phase: 'Failed', reason: 'no size.' });
  });

  test('[66] Failed is never the end: the cause is gone, and it runs', () => {
    expect(report(see(healthy(3)), { phase: 'Failed', reason: 'x' })).toMatchObject({ phase: 'Running', reason: '' });
  });

  test('an invalid edit of a cluster that runs does not make it Failed', () => {
    const invalid = cluster((facts) => ({ ...facts, desired: { problems: ['no size'] } }));
    expect(report(see(healthy(3), invalid), { phase: 'Running' }).phase).toBe('Running');
  });
});

describe('versions', () => {
  test('[62] targetVersion is set while an upgrade runs, currentVersion stays', () => {
    const observation = see(healthy(3), spec({ version: '3.6.17' }));
    expect(report(observation, { currentVersion: '3.6.16' })).toMatchObject({
      currentVersion: '3.6.16',
      targetVersion: '3.6.17',
    });
  });

  test('[62] the upgrade goes on while the last member that it restarts does not answer, and is over when it does', () => {
    const during = see(
      healthy(3),
      spec({ version: '3.6.17' }),
      ...['b', 'c', 'd'].map((name) => pod(name, { version: '3.6.17' })),
      answer('b', { version: '3.6.17' }),
      answer('c', { version: '3.6.17' }),
      down(1_000, 'd'),
    );
    const before = { currentVersion: '3.6.16', targetVersion: '3.6.17' };
    const status = report(during, before);
    expect(status).toMatchObject(before);
    expect(status.conditions?.find(({ type }) => type === 'Upgrading')).toMatchObject({ status: 'True' });
    // Without a preceding upgrade this is a failed member.
    expect(report(during, { currentVersion: '3.6.17' })).toMatchObject({ currentVersion: '3.6.17', targetVersion: '' });
  });

  test('an unreachable member that was not patched keeps currentVersion back', () => {
    const observation = see(
      healthy(3),
      spec({ version: '3.6.17' }),
      answer('b', { version: '3.6.17' }),
      answer('c', { version: '3.6.17' }),
      down(1_000, 'd'),
    );
    expect(report(observation, { currentVersion: '3.6.16' }).currentVersion).toBe('3.6.16');
  });

  test('a member that went back is remembered for this generation, and forgotten with the next', () => {
    const failing = see(
      healthy(3),
      spec({ version: '3.6.17' }),
      pod('c', { version: '3.6.17', previousVersion: '3.6.16', previousImage: 'x:v3.6.16', previousContainer: 'old' }),
      container('c', { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 2 }),
      down(20_000, 'c'),
    );
    const first = report(failing);
    expect(first.failedUpgrade).toEqual({
      version: '3.6.17',
      generation: 2,
      message: expect.stringContaining('Rolling back member c-cccccccccc to 3.6.16'),
    });
    const still = report(see(healthy(3), spec({ version: '3.6.17' })), first);
    expect(still.failedUpgrade).toEqual(first.failedUpgrade);
    const next = cluster((facts) => ({ ...facts, generation: 3 }));
    expect(report(see(healthy(3), next), still)).not.toHaveProperty('failedUpgrade');
  });
});

describe('details of members', () => {
  test('while the members of another cluster answer in their place: those last known, and none of the others', () => {
    const before = report(see(healthy(3)));
    const astray: Change = (seen) => ({
      ...seen,
      etcd: { ...seen.etcd, membership: { kind: 'known', clusterId: 'c9', members: [], since: 0 } },
    });
    const strange = answer('c', { clusterId: 'c9', memberId: 'id-9' });
    const status = report(see(healthy(3), strange, astray), before);
    expect(condition(status, 'Available')).toMatchObject({ status: 'False', reason: 'IdentityConflict' });
    expect(status.memberDetails?.map(({ id }) => id)).toEqual(before.memberDetails?.map(({ id }) => id));
    expect(status.memberDetails?.find(({ name }) => name === 'c-cccccccccc')?.reason).toBe(
      'it answers as a member of another cluster (c9)',
    );
    expect(status.size).toBe(3);
  });

  test('while the member list cannot be read: those last known, and what is observed of each', () => {
    const before = report(see(healthy(3)));
    const status = report(see(healthy(3), withoutPod('c'), noQuorum), before);
    expect(condition(status, 'Available')).toMatchObject({ status: 'False', reason: 'QuorumLost' });
    expect(condition(status, 'Recovering')).toMatchObject({ status: 'False', reason: 'QuorumLost' });
    expect(status.memberDetails?.map(({ name, healthy: isHealthy }) => [name, isHealthy])).toEqual(
      before.memberDetails?.map(({ name }) => [name, false]),
    );
    expect(status.memberDetails?.find(({ name }) => name === 'c-cccccccccc')?.reason).toBe('its pod is gone');
  });

  test('role, version, revision, size of the database, and why one is not healthy', () => {
    const { memberDetails } = report(see(healthy(3), down(5_000, 'd'), learner('f')));
    expect(memberDetails).toEqual([
      {
        name: 'c-bbbbbbbbbb',
        id: 'id-b',
        role: 'Leader',
        node: 'node-b',
        healthy: true,
        version: '3.6.16',
        revision: 100,
        databaseSize: 4096,
      },
      expect.objectContaining({ name: 'c-cccccccccc', role: 'Follower', healthy: true }),
      {
        name: 'c-dddddddddd',
        id: 'id-d',
        role: 'Unknown',
        node: 'node-d',
        healthy: false,
        reason: 'connection refused',
      },
      expect.objectContaining({ name: 'c-ffffffffff', role: 'Learner', healthy: true }),
    ]);
  });

  test('where each ran last is known after its pod is gone, with or without a quorum', () => {
    const nodes = (status: ReturnType<typeof report>) => status.memberDetails?.map(({ node }) => node);
    const first = report(see(healthy(3)));
    expect(nodes(first)).toEqual(['node-b', 'node-c', 'node-d']);
    expect(nodes(report(see(healthy(3), withoutPod('d')), first))).toEqual(['node-b', 'node-c', 'node-d']);
    expect(nodes(report(see(healthy(3), withoutPod('c', 'd'), noQuorum), first))).toEqual([
      'node-b',
      'node-c',
      'node-d',
    ]);
    const moved = see(healthy(3), pod('d', { node: 'elsewhere' }), down(1_000, 'c', 'd'), noQuorum);
    expect(nodes(report(moved, first))).toEqual(['node-b', 'node-c', 'elsewhere']);
  });

  test('each way of not being well has its words', () => {
    const reasons = (observation: Observation) =>
      report(observation).memberDetails?.flatMap((detail) => detail.reason ?? []);
    expect(reasons(see(healthy(3), withoutPod('d')))).toEqual([expect.stringContaining('no volume')]);
    expect(reasons(see(healthy(3, { storage: 'claim' }), withoutPod('d')))).toEqual(['restarting on its volume']);
    expect(reasons(see(healthy(3), pod('d', { terminating: true })))).toEqual(['its pod is being deleted']);
    expect(reasons(see(healthy(3), addMember('f', { name: '', isLearner: true })))).toEqual(['added, not started yet']);
    expect(
      reasons(see(healthy(3), addMember('x', { podName: 'db-7', name: 'db-7', peerURLs: ['http://10.1.1.1:2380'] }))),
    ).toEqual(['unmanaged: not created by this operator']);
  });
});

describe('[13] times of conditions', () => {
  test('nothing changed: the condition is the same object, times and all', () => {
    const first = report(see(healthy(3)), undefined, early);
    const second = report(see(healthy(3)), first, late);
    expect(second.conditions).toEqual(first.conditions);
  });

  test('the message changed: updated, but no transition', () => {
    const first = report(see(healthy(3), spec({ size: 5 })), undefined, early);
    const second = report(see(healthy(4), spec({ size: 5 })), first, late);
    expect(condition(second, 'Scaling')).toMatchObject({
      status: 'True',
      lastUpdateTime: late,
      lastTransitionTime: early,
    });
  });

  test('the status changed: both times move', () => {
    const first = report(see(healthy(3)), undefined, early);
    const second = report(see(healthy(3), down(1_000, 'c', 'd'), noQuorum), first, late);
    expect(condition(second, 'Available')).toMatchObject({
      status: 'False',
      lastUpdateTime: late,
      lastTransitionTime: late,
    });
    expect(condition(second, 'Scaling')).toMatchObject({ lastTransitionTime: early });
  });

  test('a notice that no longer holds is gone', () => {
    const first = report(see(healthy(4)));
    expect(condition(first, 'EvenSize')).toBeDefined();
    expect(condition(report(see(healthy(3)), first, late), 'EvenSize')).toBeUndefined();
  });
});

describe('the plan in words', () => {
  test('next steps and waits', () => {
    const { plan } = report(see(healthy(3), spec({ size: 5 })));
    expect(plan?.next).toEqual([
      expect.stringContaining('minAvailable to 3 (quorum of 5)'),
      expect.stringContaining('Adding member c-7bs6ncjq77 (4 of 5)'),
    ]);
    expect(report(see(healthy(3), down(5_000, 'd'))).plan?.waitingFor).toEqual([
      expect.stringContaining('The member will be replaced if this lasts 120 s'),
    ]);
  });
});

describe('saysTheSame', () => {
  test('figures that move by themselves do not count', () => {
    const first = report(see(healthy(3)));
    const second = report(see(healthy(3), answer('d', { revision: 999, dbSize: 1_000_000 })), first, late);
    expect(saysTheSame(first, second)).toBe(true);
  });

  test('everything else does', () => {
    const first = report(see(healthy(3)));
    for (const change of [
      down(1_000, 'd'),
      spec({ size: 5 }),
      pod('d', { ready: false }),
      answer('d', { version: '3.6.17' }),
    ]) {
      expect(saysTheSame(first, report(see(healthy(3), change), first, late))).toBe(false);
    }
    expect(saysTheSame(undefined, first)).toBe(false);
  });
});

test('statusChanges turns any status into any other', () => {
  const all = [
    see(),
    see(healthy(3)),
    see(healthy(3), pod('d', { ready: false })),
    see(healthy(4), down(1_000, 'd')),
    see(healthy(3), withoutPod('b', 'c', 'd'), noQuorum),
  ].map((observation) => report(observation));
  for (const from of [undefined, ...all]) {
    for (const to of all) {
      const kept = Object.entries({ ...from, ...statusChanges(from, to) }).filter(([, value]) => value !== undefined);
      expect(Object.fromEntries(kept)).toEqual(to);
    }
  }
});

describe('figures of members', () => {
  test('any that moved is news for the next reading', () => {
    const first = report(see(healthy(3)));
    const moved = (change: Parameters<typeof answer>[1]) =>
      figuresMoved(first, report(see(healthy(3), answer('d', change)), first, late));
    expect([moved({}), moved({ revision: 101 }), moved({ dbSize: 4_097 })]).toEqual([false, true, true]);
    expect(figuresMoved(undefined, first)).toBe(true);
  });

  test('those last read stay while no member is reachable: a restore must not fall behind them', () => {
    const first = report(see(healthy(3)));
    const lost = report(see(healthy(3), down(1_000, 'c', 'd'), noQuorum), first);
    expect(lost.memberDetails?.map(({ revision, healthy: isWell }) => [revision, isWell])).toEqual([
      [100, false],
      [100, false],
      [100, false],
    ]);
  });
});
