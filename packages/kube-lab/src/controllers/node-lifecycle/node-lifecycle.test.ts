// SPDX-License-Identifier: Apache-2.0
import { nodes, pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open(['a']);
  onTestFinished(() => world[Symbol.asyncDispose]());
  await world.create(pods, { metadata: { name: 'p' }, spec: podSpec({ nodeName: 'a' }) });
  await world.until(async () => (await world.get(pods, 'p')).status?.phase === 'Running');
});

const ready = async () => (await world.get(nodes, 'a')).status?.conditions?.find(({ type }) => type === 'Ready');
const taints = async () =>
  ((await world.get(nodes, 'a')).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const podReady = async () =>
  (await world.get(pods, 'p')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const later = async (milliseconds: number) => {
  await world.clock.advance(milliseconds);
  await world.rest();
};

describe('a node that no longer renews its Lease', () => {
  test('is unknown after 40 s, tainted, and its pods are not ready', async () => {
    await world.renewLease('a');
    await later(39_999);
    expect(await ready()).toMatchObject({ status: 'True' });
    await later(1);
    expect(await ready()).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
    expect(await taints()).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    expect(await podReady()).toBe('False');
  });

  test('loses its pods after the five minutes they tolerate it', async () => {
    await world.renewLease('a');
    await later(40_000);
    await later(299_000);
    expect((await world.get(pods, 'p')).metadata?.deletionTimestamp).toBeUndefined();
    await later(1000);
    expect(await world.podNames()).toEqual([]);
  });

  test('is well again, without taints, when it is back', async () => {
    await world.renewLease('a');
    await later(40_000);
    const node = await world.get(nodes, 'a');
    const now = new Date(world.clock.now()).toISOString();
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }];
    await world.client
      .resource(nodes)
      .status.replace({ name: 'a' }, { ...node, status: { ...node.status, conditions } });
    await world.renewLease('a');
    await world.rest();
    expect(await taints()).toEqual([]);
    await later(39_000);
    expect(await ready()).toMatchObject({ status: 'True' });
    expect(await world.podNames()).toEqual(['p']);
  });
});

test('a pod that does not tolerate a new NoExecute taint goes at once', async () => {
  await world.patch(nodes, 'a', { spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } });
  await world.until(async () => (await world.podNames()).length === 0);
  expect(await world.podNames()).toEqual([]);
});

test('the pods of a node whose object is gone are removed after a while', async () => {
  await world.client.resource(nodes).delete({ name: 'a' });
  await later(39_000);
  expect(await world.podNames()).toEqual(['p']);
  await later(1000);
  expect(await world.podNames()).toEqual([]);
});
