// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { clusterWith } from '../testing/api-server-scene.ts';
import type { Answer, EtcdView } from './observation.ts';
import type { ClusterObjects } from './observe/gather.ts';
import { planCluster } from './plan/plan.ts';
import { observeWorld } from './plan/testing/observe.ts';
import { runUntilSettled } from './plan/testing/run.ts';
import { World } from './plan/testing/world.ts';
import { isSteady, isUnchanged, type SteadyState, saysNothingNew } from './steady-state.ts';

const pod = { metadata: { name: 'c-a' } };
const node = { metadata: { name: 'n1' } };
const found: ClusterObjects = {
  cluster: clusterWith('c', { size: 1 }),
  pods: [pod],
  imageChecks: [],
  volumes: [],
  peerService: { metadata: { name: 'c' } },
  clientService: { metadata: { name: 'c-client' } },
  budget: undefined,
  nodes: new Map([['n1', node]]),
};

function settled(): World {
  const world = new World({ size: 3 });
  runUntilSettled(world);
  return world;
}

const seen = observeWorld(settled());
const rest: SteadyState = {
  found,
  credentials: { tls: undefined, login: undefined },
  secretProblems: [],
  coreosOperator: undefined,
  targets: [],
  etcd: seen.etcd,
  since: 1000,
};

/** The view with one member's answer changed. */
function withAnswer(change: Partial<Extract<Answer, { kind: 'status' }>>): EtcdView {
  const [[name, answer] = ['', undefined]] = seen.etcd.answers;
  if (answer?.kind !== 'status') throw new Error('nobody answers');
  return { ...seen.etcd, answers: new Map([...seen.etcd.answers, [name, { ...answer, ...change }]]) };
}

describe('a cluster is steady', () => {
  test('when there is nothing to do and nothing to wait for', () => {
    expect(isSteady(planCluster(seen, 0), seen)).toBe(true);
  });

  test('not while a step is planned or the operator is waiting for a member', () => {
    const world = settled();
    world.change({ size: 5 });
    const observation = observeWorld(world);
    expect(isSteady(planCluster(observation, world.now), observation)).toBe(false);
  });

  test('not while a member is unreachable', () => {
    const [[name] = ['']] = seen.etcd.answers;
    const unreachable: Answer = { kind: 'unreachable', since: 0, why: 'refused' };
    const observation = {
      ...seen,
      etcd: { ...seen.etcd, answers: new Map([...seen.etcd.answers, [name, unreachable]]) },
    };
    expect(isSteady(planCluster(seen, 0), observation)).toBe(false);
  });
});

describe('a cluster at rest is disturbed', () => {
  const ground = { ...rest, found: { ...found, pods: [pod], nodes: new Map([['n1', node]]) } };

  test('by nothing while all objects are the ones that were seen', () => {
    expect(isUnchanged(rest, ground, 2000)).toBe(true);
  });

  const changes: Readonly<Record<string, Partial<ClusterObjects>>> = {
    'the object': { cluster: clusterWith('c', { size: 1 }) },
    'a pod': { pods: [{ ...pod }] },
    'one pod more': { pods: [pod, { ...pod }] },
    'a pod that is gone': { pods: [] },
    'a volume': { volumes: [{ metadata: { name: 'c-a' } }] },
    'an image check': { imageChecks: [{ metadata: { name: 'check' } }] },
    'a Service': { peerService: undefined },
    'the other Service': { clientService: { metadata: { name: 'c-client' } } },
    'a disruption budget': { budget: { metadata: { name: 'c' } } },
    'a node': { nodes: new Map([['n1', { ...node }]]) },
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`by ${name}`, () => {
      expect(isUnchanged(rest, { ...ground, found: { ...ground.found, ...change } }, 2000)).toBe(false);
    });
  }

  test('by other certificates, by a problem with a secret, and by a CoreOS etcd-operator', () => {
    expect(isUnchanged(rest, { ...ground, credentials: { ...rest.credentials } }, 2000)).toBe(false);
    expect(isUnchanged(rest, { ...ground, secretProblems: ['expired'] }, 2000)).toBe(false);
    expect(isUnchanged(rest, { ...ground, coreosOperator: 'somebody' }, 2000)).toBe(false);
  });

  test('by time: a whole look is due after a minute', () => {
    expect(isUnchanged(rest, ground, 60_999)).toBe(true);
    expect(isUnchanged(rest, ground, 61_000)).toBe(false);
  });
});

describe('etcd says something new', () => {
  test('not when only raft has moved', () => {
    expect(saysNothingNew(seen.etcd, withAnswer({ raftIndex: 100, raftAppliedIndex: 100 }))).toBe(true);
  });

  const news: Readonly<Record<string, Parameters<typeof withAnswer>[0]>> = {
    'another leader': { leaderId: 'beef' },
    'a lost leader': { leaderId: '', leaderlessSince: 5 },
    'an alarm': { alarms: ['NOSPACE'] },
    'another version': { version: '3.6.17' },
    'another member in its place': { memberId: 'beef' },
    'another cluster in its place': { clusterId: 'beef' },
    'a restart in between': { since: 77 },
    'a database that grew': { dbSize: 1 },
    'a write': { revision: 99 },
  };
  for (const [name, change] of Object.entries(news)) {
    test(`of ${name}`, () => {
      expect(saysNothingNew(seen.etcd, withAnswer(change))).toBe(false);
    });
  }

  test('when a member has come or gone, or the list cannot be read', () => {
    const { membership, answers } = seen.etcd;
    if (membership.kind !== 'known') throw new Error('the list is not known');
    const fewer = { ...membership, members: membership.members.slice(1) };
    expect(saysNothingNew(seen.etcd, { ...seen.etcd, membership: fewer })).toBe(false);
    expect(saysNothingNew(seen.etcd, { ...seen.etcd, membership: { kind: 'unknown', why: 'x' } })).toBe(false);
    expect(saysNothingNew(seen.etcd, { ...seen.etcd, answers: new Map([...answers].slice(1)) })).toBe(false);
  });
});
