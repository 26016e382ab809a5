// SPDX-License-Identifier: Apache-2.0
import { type Deployment, deployments, pods, type ReplicaSet, replicaSets } from '@operator-parts/kube';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';
import { limitsOf, nextScales } from './rollout.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

function deployment(replicas: number, change: Partial<NonNullable<Deployment['spec']>> = {}): Deployment {
  const labels = { app: 'x' };
  return {
    metadata: { name: 'd' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec() },
      ...change,
    },
  };
}

const image = (tag: number) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: `image:${tag}` }] } } },
});
const isRolledOut = async () => {
  const { status, spec, metadata } = await world.get(deployments, 'd');
  return (
    status?.observedGeneration === metadata?.generation &&
    (status?.updatedReplicas ?? 0) === spec?.replicas &&
    (status?.availableReplicas ?? 0) === spec?.replicas &&
    (status?.replicas ?? 0) === spec?.replicas
  );
};

describe('a deployment', () => {
  test('makes a replica set and its pods, and says that it is available', async () => {
    await world.create(deployments, deployment(3));
    await world.until(isRolledOut);
    await world.rest();
    expect(await world.podNames()).toHaveLength(3);
    const { status, metadata } = await world.get(deployments, 'd');
    expect(metadata?.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
    expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
  });

  test('rolls a new template out and keeps the old set for rolling back', async () => {
    await world.create(deployments, deployment(3));
    await world.until(isRolledOut);
    await world.patch(deployments, 'd', image(2));
    await world.until(isRolledOut);
    await world.rest();
    const sets = await world.list(replicaSets);
    expect(new Set(sets.map(({ spec }) => spec?.replicas))).toEqual(new Set([0, 3]));
    await world.patch(deployments, 'd', image(1));
    await world.until(isRolledOut);
    await world.rest();
    expect(await world.list(replicaSets)).toHaveLength(2);
    const { metadata } = await world.get(deployments, 'd');
    expect(metadata?.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  test('adopts the ReplicaSets of one that was deleted without them, and releases those that it no longer selects', async () => {
    await world.create(deployments, deployment(3));
    await world.until(isRolledOut);
    const before = await world.podNames();
    await world.client
      .resource(deployments)
      .delete({ namespace: 'default', name: 'd' }, { propagationPolicy: 'Orphan' });
    const owners = async () =>
      (await world.list(replicaSets)).flatMap(({ metadata }) => metadata?.ownerReferences ?? []);
    await world.until(async () => (await owners()).length === 0);
    const { metadata } = await world.create(deployments, deployment(3));
    await world.until(isRolledOut);
    await world.rest();
    expect(await world.podNames()).toEqual(before);
    expect(await owners()).toMatchObject([{ kind: 'Deployment', name: 'd', uid: metadata?.uid, controller: true }]);
    const [set] = await world.list(replicaSets);
    await world.patch(replicaSets, set?.metadata?.name ?? '', { metadata: { labels: { app: 'other' } } });
    await world.until(
      async () => (await world.get(replicaSets, set?.metadata?.name ?? '')).metadata?.ownerReferences?.length !== 1,
    );
    await world.until(isRolledOut);
    await world.rest();
    expect((await world.get(replicaSets, set?.metadata?.name ?? '')).metadata?.ownerReferences ?? []).toEqual([]);
    expect(await world.list(replicaSets)).toHaveLength(2);
    expect((await world.get(deployments, 'd')).status?.collisionCount).toBe(1);
  });

  test('that is recreated has no pod of the old template beside one of the new', async () => {
    await world.create(deployments, deployment(2, { strategy: { type: 'Recreate' } }));
    await world.until(isRolledOut);
    const mixtures: number[] = [];
    onTestFinished(
      world.server.feed.subscribe(pods, () => {
        mixtures.push(new Set(world.server.feed.list(pods).map(({ spec }) => spec?.containers[0]?.image)).size);
      }),
    );
    await world.patch(deployments, 'd', image(2));
    await world.until(isRolledOut);
    expect(Math.max(...mixtures)).toBe(1);
    expect(await world.podNames()).toHaveLength(2);
  });

  test('that makes no progress says so after its deadline', async () => {
    world.kubelet = () => 'wait';
    await world.create(deployments, deployment(1, { progressDeadlineSeconds: 60 }));
    await world.rest();
    await world.clock.advance(62_000);
    await world.rest();
    const { status } = await world.get(deployments, 'd');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }),
    );
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'False' }));
  });

  test('that is scaled follows, and takes the least useful pods first', async () => {
    await world.create(deployments, deployment(4));
    await world.until(isRolledOut);
    await world.patch(deployments, 'd', { spec: { replicas: 1 } });
    await world.until(isRolledOut);
    await world.rest();
    expect(await world.podNames()).toHaveLength(1);
  });
});

test('a rollout never has too many pods nor too few available ones, and ends', () => {
  const set = (name: string, replicas: number, availableReplicas: number): ReplicaSet => ({
    metadata: { name, creationTimestamp: name === 'new' ? '2026-01-02T00:00:00Z' : '2026-01-01T00:00:00Z' },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas },
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(5),
      fc.nat(5),
      fc.infiniteStream(fc.nat(3)),
      (replicas, maxSurge, maxUnavailable, luck) => {
        const wanted = deployment(replicas, {
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
        });
        const limits = limitsOf(wanted);
        let state = { old: replicas, fresh: 0, freshReady: 0 };
        for (let turn = 0; turn < 500 && (state.old > 0 || state.freshReady < replicas); turn++) {
          const newest = set('new', state.fresh, state.freshReady);
          const old = set('old', state.old, state.old);
          const scales = nextScales(wanted, newest, [old]);
          const fresh = scales.get(newest) ?? state.fresh;
          const left = scales.get(old) ?? state.old;
          expect(fresh + left).toBeLessThanOrEqual(replicas + limits.maxSurge);
          expect(state.freshReady + left).toBeGreaterThanOrEqual(replicas - limits.maxUnavailable);
          const [ready = 0] = luck.next().value === undefined ? [0] : [luck.next().value ?? 0];
          state = { old: left, fresh, freshReady: Math.min(fresh, state.freshReady + ready) };
        }
        expect(state).toEqual({ old: 0, fresh: replicas, freshReady: replicas });
      },
    ),
    { numRuns: 200 },
  );
});
