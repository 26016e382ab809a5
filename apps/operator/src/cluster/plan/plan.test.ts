// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { Desired } from '../desired.ts';
import type { Answer } from '../observation.ts';
import { planCluster } from './plan.ts';
import { crashed } from './testing/model-node.ts';
import { observeWorld } from './testing/observe.ts';
import { pass, runFor, runUntilSettled } from './testing/run.ts';
import { World } from './testing/world.ts';

function settled(desired: Partial<Desired> = {}): World {
  const world = new World(desired);
  runUntilSettled(world);
  world.log.length = 0;
  return world;
}

/**
 * The operator ends before it records the identity, or halfway through clearing the first member's bootstrap configuration: then the volume
 * records the identity, the pod does not.
 */
function dieAtFoundation(world: World, extent: 'whole' | 'half'): void {
  for (let round = 0; round < 100; round++) {
    const { steps } = planCluster(observeWorld(world), world.now);
    const diesAt = steps.findIndex(({ step }) => step.do === (extent === 'half' ? 'clearBootstrap' : 'recordIdentity'));
    pass(world, diesAt < 0 ? {} : { diesAt, extent });
    if (diesAt >= 0) return;
    world.tick(1000);
  }
  throw new Error('nothing was bootstrapped');
}

const voters = (world: World) => world.members.filter((member) => !member.isLearner).length;

describe('bootstrap in the model', () => {
  for (const size of [1, 2, 3, 5, 7]) {
    for (const version of ['3.4.23', '3.5.35', '3.6.16', '3.7.3']) {
      test(`${size} members of ${version} come up as voters`, () => {
        const world = settled({ size, version });
        expect(voters(world)).toBe(size);
        expect(world.pods.size).toBe(size);
      });
    }
  }

  test('on 3.6 all others join before the first is promoted (operator rule 9)', () => {
    const world = new World({ size: 3 });
    runUntilSettled(world);
    const order = world.log.filter((step) => step === 'joinMember' || step === 'promote');
    expect(order).toEqual(['joinMember', 'joinMember', 'promote', 'promote']);
  });

  test('on 3.5 only one learner exists at a time (operator rule 2)', () => {
    const world = new World({ size: 3, version: '3.5.35' });
    runUntilSettled(world);
    const order = world.log.filter((step) => step === 'joinMember' || step === 'promote');
    expect(order).toEqual(['joinMember', 'promote', 'joinMember', 'promote']);
  });
});

describe('a first member that only its volume knows', () => {
  test('does not bootstrap again on an empty disk: it loses its bootstrap configuration though no member answers', () => {
    const world = new World({ size: 3, storage: 'claim' });
    dieAtFoundation(world, 'half');
    const [seed] = world.pods.values();
    expect(seed?.facts).toMatchObject({ boot: 'new', memberId: '' });
    if (seed) crashed(seed, 'panic');
    world.directories.clear();
    pass(world);
    expect(seed?.facts.boot).toBe('cleared');
    // A second bootstrap would be a safety violation, for which the model throws.
    runFor(world, 60);
    expect(world.members).toHaveLength(1);
  });
});

describe('scaling in the model', () => {
  for (const [from, to] of [
    [1, 3],
    [3, 5],
    [5, 3],
    [3, 1],
    [3, 2],
    [2, 1],
    [1, 7],
    [7, 1],
  ] as const) {
    test(`${from} to ${to}`, () => {
      const world = settled({ size: from });
      world.change({ size: to });
      runUntilSettled(world);
      expect(voters(world)).toBe(to);
      expect(world.pods.size).toBe(to);
    });
  }
});

describe('healing in the model', () => {
  test('a deleted pod without a volume is replaced by a fresh member', () => {
    const world = settled({ size: 3 });
    const [first] = world.members;
    world.removePod(first?.podName ?? '');
    runUntilSettled(world);
    expect(voters(world)).toBe(3);
    expect(world.members.map((member) => member.id)).not.toContain(first?.id);
  });

  test('a deleted pod with a volume comes back as itself', () => {
    const world = settled({ size: 3, storage: 'claim' });
    const before = world.members.map((member) => member.id).sort();
    world.removePod(world.members[0]?.podName ?? '');
    runUntilSettled(world);
    expect(world.members.map((member) => member.id).sort()).toEqual(before);
    expect(world.log).not.toContain('removeMember');
  });

  test('all pods gone with volumes: all come back', () => {
    const world = settled({ size: 3, storage: 'claim' });
    for (const name of [...world.pods.keys()]) world.removePod(name);
    runUntilSettled(world);
    expect(world.pods.size).toBe(3);
    expect(new Set(world.log)).toEqual(new Set(['createPod']));
  });

  test('pod and volume gone: a fresh member takes the place', () => {
    const world = settled({ size: 3, storage: 'claim' });
    const name = world.members[0]?.podName ?? '';
    world.removePod(name);
    world.removeVolume(name);
    runUntilSettled(world);
    expect(voters(world)).toBe(3);
    expect(world.volumes.has(name)).toBe(false);
  });

  test('two of three gone without volumes: nothing is touched', () => {
    const world = settled({ size: 3 });
    for (const { podName } of world.members.slice(0, 2)) world.removePod(podName);
    runFor(world, 50);
    expect(world.log).toEqual([]);
    expect(planCluster(observeWorld(world), world.now).situation).toBe('quorumLost');
  });

  test('an unreachable member is replaced after the delay, not before', () => {
    const world = settled({ size: 3 });
    world.tick(60_000);
    const name = world.members[2]?.podName ?? '';
    world.cut.add(world.pods.get(name)?.facts.uid ?? '');
    runFor(world, 30);
    expect(world.members.some((member) => member.podName === name)).toBe(true);
    runUntilSettled(world);
    expect(world.members.some((member) => member.podName === name)).toBe(false);
    expect(voters(world)).toBe(3);
  });
});

describe('a voter that does not answer', () => {
  /** One voter of three has been unreachable for this long; its process has this age. */
  function retryAfter(age: number, unreachableFor: number): number | undefined {
    const world = settled({ size: 3 });
    const now = world.now + 600_000;
    const seen = observeWorld(world);
    const [name = ''] = world.pods.keys();
    const pods = seen.pods.map((pod) =>
      pod.name === name
        ? {
            ...pod,
            container: { ...pod.container, state: 'running' as const, startedAt: now - age, runningSince: now - age },
          }
        : pod,
    );
    const unreachable: Answer = { kind: 'unreachable', since: now - unreachableFor, why: 'connection refused' };
    const answers = new Map<string, Answer>([...seen.etcd.answers, [name, unreachable]]);
    return planCluster({ ...seen, pods, etcd: { ...seen.etcd, answers } }, now).retryAfter;
  }

  test('is asked again soon after its process has started: no event tells when etcd is up', () => {
    expect(retryAfter(10_000, 9_000)).toBe(250);
  });

  test('is asked again soon after it stopped answering, however long it has been running, then less and less often', () => {
    const durations = [0, 100, 600, 2_000, 4_900, 8_000, 20_000];
    expect(durations.map((unreachableFor) => retryAfter(60_000, unreachableFor))).toEqual([
      250, 250, 600, 2_000, 4_900, 5_000, 5_000,
    ]);
  });

  test('and with it the quorum: they are asked again soon, then less and less often', () => {
    const durations = [0, 2_000, 60_000];
    expect(durations.map((unreachableFor) => withoutQuorumFor(unreachableFor))).toEqual([250, 2_000, 5_000]);
  });

  /** When a cluster is observed again whose members have all been unreachable for this long. */
  function withoutQuorumFor(unreachableFor: number): number | undefined {
    const world = settled({ size: 3 });
    const now = world.now + 600_000;
    const seen = observeWorld(world);
    const unreachable = { kind: 'unreachable', since: now - unreachableFor, why: 'connection refused' } as const;
    const answers = new Map([...world.pods.keys()].map((name) => [name, unreachable]));
    const membership = { kind: 'unknown', why: 'no member answers' } as const;
    return planCluster({ ...seen, etcd: { ...seen.etcd, membership, answers } }, now).retryAfter;
  }
});

describe('upgrades in the model', () => {
  for (const [from, to] of [
    ['3.6.11', '3.6.16'],
    ['3.6.16', '3.6.11'],
    ['3.5.35', '3.6.16'],
    ['3.6.16', '3.7.3'],
    ['3.4.23', '3.5.35'],
  ] as const) {
    test(`${from} to ${to}: same members, one at a time`, () => {
      const world = settled({ size: 3, version: from });
      const before = world.members.map((member) => member.id).sort();
      world.change({ version: to });
      runUntilSettled(world);
      expect([...world.pods.values()].map((pod) => pod.facts.version)).toEqual([to, to, to]);
      expect(world.members.map((member) => member.id).sort()).toEqual(before);
    });
  }

  for (const storage of ['claim', 'emptyDir'] as const) {
    for (const extent of ['whole', 'half'] as const) {
      test(`operator rule 3: an operator that died while it cleared the bootstrap configuration of the seed (${extent}, ${storage}) knows the version the cluster was bootstrapped with`, () => {
        const world = new World({ size: 3, version: '3.5.35', storage });
        dieAtFoundation(world, extent);
        expect(world.inAnnotation).toBeUndefined();
        runUntilSettled(world);
        expect(world.bootstrapVersion).toBe('3.5.35');
      });
    }
  }

  test('3.5 to 3.6 to 3.7: the second step waits for raft snapshots (operator rule 3)', () => {
    const world = settled({ size: 3, version: '3.5.35' });
    world.change({ version: '3.6.16' });
    runUntilSettled(world);
    expect(world.log).toContain('nudgeSnapshot');
    world.change({ version: '3.7.3' });
    runUntilSettled(world);
    expect([...world.pods.values()].every((pod) => pod.facts.version === '3.7.3')).toBe(true);
  });

  test('a skipped minor is refused and nothing is touched', () => {
    const world = settled({ size: 3, version: '3.5.35' });
    world.change({ version: '3.7.3' });
    runFor(world, 20);
    expect(world.log).toEqual([]);
  });

  test('an image that cannot be pulled is found before any member is stopped (operator rule 6)', () => {
    const world = settled({ size: 3 });
    world.brokenImages.add('quay.io/coreos/etcd:v3.6.17');
    world.change({ version: '3.6.17' });
    runFor(world, 20);
    expect(world.log).not.toContain('setImage');
  });
});
