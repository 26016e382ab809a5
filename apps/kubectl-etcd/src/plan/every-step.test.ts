// SPDX-License-Identifier: Apache-2.0
import { type MemberPod, type Observation, planCluster, type Step } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { newCluster, noon, restingCluster, withSpec } from '../testing/simulated-cluster.ts';
import { simulatePlan } from './simulate-plan.ts';
import { simulateStep } from './simulate-step.ts';

type Spec = Parameters<typeof restingCluster>[0];

const three: Spec = { size: 3, version: '3.6.16' };
const onVolumes: Spec = { ...three, pod: { persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'] } } };
const changed = (from: Spec, to: Spec) => withSpec(restingCluster(from), to);

/** A cluster without pending steps, except for its first pod. */
function withFirstPod(edit: (pod: MemberPod) => Partial<MemberPod>, spec = three): Observation {
  const world = restingCluster(spec);
  const [first, ...others] = world.pods;
  if (!first) throw new Error('a cluster at rest has pods');
  return { ...world, pods: [{ ...first, ...edit(first) }, ...others] };
}

function withAnswers(world: Observation, edit: object): Observation {
  const answers = new Map([...world.etcd.answers].map(([name, answer]) => [name, { ...answer, ...edit }]));
  return { ...world, etcd: { ...world.etcd, answers } };
}

/** One voter's pod is gone; its data is on its volume. */
function withoutFirstPod(): Observation {
  const world = restingCluster(onVolumes);
  const gone = world.pods[0]?.name ?? '';
  const answers = new Map([...world.etcd.answers].filter(([name]) => name !== gone));
  return { ...world, pods: world.pods.slice(1), etcd: { ...world.etcd, answers } };
}

/** A member has a wrong peer URL. */
function movedMember(): Observation {
  const world = restingCluster(three);
  const { membership } = world.etcd;
  if (membership.kind !== 'known') throw new Error('a cluster at rest has members');
  const [first, ...others] = membership.members;
  if (!first) throw new Error('a cluster at rest has members');
  const members = [{ ...first, peerURLs: ['http://elsewhere.example:2380'] }, ...others];
  return { ...world, etcd: { ...world.etcd, membership: { ...membership, members } } };
}

/** A learner whose process has never run, created before the member list changed. */
function staleJoiningMember(): Observation {
  let world = changed(three, { ...three, size: 4 });
  for (let round = 0; round < 20; round++) {
    const { steps } = planCluster(world, noon);
    for (const { step } of steps) world = simulateStep(world, step, noon);
    const join = steps.find(({ step }) => step.do === 'joinMember')?.step;
    if (join?.do === 'joinMember') return neverRun(world, join.name);
  }
  throw new Error('no member joins');
}

function neverRun(world: Observation, name: string): Observation {
  const { membership } = world.etcd;
  if (membership.kind !== 'known') throw new Error('a cluster at rest has members');
  const members = membership.members.map((member) => (member.podName === name ? { ...member, name: '' } : member));
  const pods = world.pods.map((pod): MemberPod => {
    if (pod.name !== name) return pod;
    const container = { ...pod.container, id: '', state: 'waiting', startedAt: 0 } as const;
    return { ...pod, phase: 'Pending', ready: false, bootPeers: ['http://gone.example:2380'], container };
  });
  const answers = new Map([...world.etcd.answers].filter(([pod]) => pod !== name));
  return { ...world, pods, etcd: { ...world.etcd, membership: { ...membership, members }, answers } };
}

/** Two of three members are lost permanently, and the spec allows recovery from the third. */
function lostForGood(): Observation {
  const world = restingCluster({ ...onVolumes, recovery: { quorumLoss: 'Automatic', after: '10s' } });
  const [left] = world.pods;
  const { membership } = world.etcd;
  if (membership.kind !== 'known' || !left) throw new Error('a cluster at rest has members');
  const nodes = new Map(
    world.pods.map(
      ({ node }) => [node, { exists: true, ready: true, schedulable: true, outOfService: false }] as const,
    ),
  );
  const lastMembers = world.pods.map(({ name, memberId, node }) => ({ name, id: memberId, isLearner: false, node }));
  const since = noon - 60_000;
  const unknown = { kind: 'unknown', why: 'no leader', since, remembered: membership.members } as const;
  const quiet = withAnswers(world, { leaderId: '', leaderlessSince: since });
  const answers = new Map([...quiet.etcd.answers].filter(([name]) => name === left.name));
  return {
    ...quiet,
    cluster: { ...world.cluster, lastMembers },
    pods: [{ ...left, ready: false }],
    volumes: world.volumes.filter(({ name }) => name === left.name),
    nodes,
    recovery: { kind: 'none' },
    etcd: { ...quiet.etcd, membership: unknown, answers },
  };
}

/** etcd has raised CORRUPT, and all voters have the same data by now. */
function corruptedBefore(): Observation {
  const world = withAnswers(restingCluster(three), { alarms: ['memberID:1 alarm:CORRUPT '] });
  const hash = { revision: 1, reached: 1, compactRevision: 1, hash: 7 };
  return { ...world, etcd: { ...world.etcd, hashes: new Map(world.pods.map(({ name }) => [name, hash])) } };
}

const drift = (remedy: 'inPlace' | 'resize') => withFirstPod(() => ({ drift: [{ field: 'labels', remedy }] }));

/** For each kind of step: a cluster in which the planner eventually takes it. */
const worlds: { readonly [K in Step['do']]: () => Observation } = {
  ensureService: () => newCluster(three),
  ensureBudget: () => ({ ...restingCluster(three), budget: { minAvailable: 2, otherOwner: false, drifted: true } }),
  deleteBudget: () => changed(three, { ...three, podDisruptionBudget: false }),
  recordIdentity: () => newCluster(three),
  createSeed: () => newCluster(three),
  joinMember: () => newCluster(three),
  createPod: withoutFirstPod,
  clearBootstrap: () => newCluster(onVolumes),
  promote: () => newCluster(three),
  moveLeader: () => changed({ ...three, version: '3.6.15' }, three),
  removeMember: () => changed(three, { ...three, size: 1 }),
  readdress: movedMember,
  deletePod: () => changed(three, { ...three, size: 1 }),
  renewBootList: staleJoiningMember,
  deleteVolume: () => changed(onVolumes, { ...onVolumes, size: 1 }),
  isolatePod: () => withFirstPod(() => ({ name: 'earlier', uid: 'earlier', incarnation: 0 })),
  unisolatePod: () => withFirstPod(() => ({ isolated: true })),
  updatePod: () => drift('inPlace'),
  checkImage: () => changed({ ...three, version: '3.6.15' }, three),
  deleteImageCheck: () => changed({ ...three, version: '3.6.15' }, three),
  setImage: () => changed({ ...three, version: '3.6.15' }, three),
  confirmImage: () => changed({ ...three, version: '3.6.15' }, three),
  setSnapshotCount: () =>
    withAnswers(
      withFirstPod(() => ({ snapshotCount: '100' })),
      { raftSnapshots: 1 },
    ),
  nudgeSnapshot: () => withFirstPod(() => ({ snapshotCount: '100' })),
  enableDowngrade: () => changed(three, { ...three, version: '3.5.35' }),
  cancelDowngrade: () => withAnswers(restingCluster(three), { downgradeTarget: '3.5.0' }),
  resizePod: () => drift('resize'),
  disarmAlarm: corruptedBefore,
  recoverQuorum: lostForGood,
};

describe('a simulation knows what each step of the operator changes', () => {
  test.each(Object.entries(worlds))('%s is not planned again once it is taken', (verb, make) => {
    let world = make();
    let taken = 0;
    for (let round = 0, time = noon; round < 100 && taken === 0; round++, time += 1_000) {
      for (const { step } of planCluster(world, time).steps) {
        world = simulateStep(world, step, time);
        if (step.do !== verb) continue;
        taken += 1;
        expect(planCluster(world, time + 1_000).steps.map((next) => next.step)).not.toContainEqual(step);
      }
    }
    expect(taken).toBeGreaterThan(0);
  });

  test.each(Object.entries(worlds))('a cluster that needs %s comes to an end', (_, make) => {
    expect(simulatePlan(make(), noon).end.kind).not.toBe('cut');
  });
});
