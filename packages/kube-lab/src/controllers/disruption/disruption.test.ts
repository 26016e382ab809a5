// SPDX-License-Identifier: Apache-2.0
import { deployments, isKubeError, podDisruptionBudgets, pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;
const labels = { app: 'x' };

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
  const template = { metadata: { labels }, spec: podSpec() };
  await world.create(deployments, {
    metadata: { name: 'd' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  await world.until(async () => (await world.get(deployments, 'd')).status?.availableReplicas === 3);
});

const budget = (spec: { minAvailable?: number | string; maxUnavailable?: number | string }) =>
  world.create(podDisruptionBudgets, { metadata: { name: 'b' }, spec: { selector: { matchLabels: labels }, ...spec } });
const status = async () => (await world.get(podDisruptionBudgets, 'b')).status;

describe('a disruption budget', () => {
  test.each([
    [{ minAvailable: 2 }, 1, 2],
    [{ minAvailable: '50%' }, 1, 2],
    [{ maxUnavailable: 1 }, 1, 2],
    [{ maxUnavailable: '34%' }, 2, 1],
    [{ maxUnavailable: 0 }, 0, 3],
  ])('of %o allows %i', async (spec, allowed, desired) => {
    await budget(spec);
    await world.until(async () => (await status())?.expectedPods === 3);
    expect(await status()).toMatchObject({
      disruptionsAllowed: allowed,
      desiredHealthy: desired,
      currentHealthy: 3,
      expectedPods: 3,
    });
  });

  test('lets one pod be evicted, then refuses until it is replaced', async () => {
    await budget({ maxUnavailable: 1 });
    await world.until(async () => (await status())?.disruptionsAllowed === 1);
    world.kubelet = () => 'wait';
    const [first, second] = await world.podNames();
    const evict = (name = '') =>
      world.client
        .resource(pods)
        .subresource('eviction')
        .create(
          { namespace: 'default', name },
          {
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name, namespace: 'default' },
          },
        );
    await evict(first);
    await world.rest();
    const refusal = await evict(second).catch((error: unknown) => error);
    expect(isKubeError(refusal, 'TooManyRequests')).toBe(true);
    world.kubelet = () => 'ready';
    for (const pod of await world.list(pods)) if (pod.status?.phase === 'Pending') await world.setPod(pod, 'Running');
    await world.until(async () => (await status())?.disruptionsAllowed === 1);
    await evict(second);
    await world.rest();
    expect(await world.podNames()).not.toContain(second);
  });
});
