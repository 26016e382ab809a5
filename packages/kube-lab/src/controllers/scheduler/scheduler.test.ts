// SPDX-License-Identifier: Apache-2.0
import { nodes, pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open(['a', 'b']);
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const nodeOf = async (name: string) => (await world.get(pods, name)).spec?.nodeName;
const scheduled = async (name: string) =>
  (await world.get(pods, name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');

describe('the scheduler', () => {
  test('binds pods that come at the same moment to different nodes', async () => {
    await Promise.all(['x', 'y'].map((name) => world.create(pods, { metadata: { name }, spec: podSpec() })));
    await world.until(async () => (await nodeOf('x')) !== undefined && (await nodeOf('y')) !== undefined);
    expect(new Set([await nodeOf('x'), await nodeOf('y')])).toEqual(new Set(['a', 'b']));
    expect(await world.eventReasons()).toContainEqual(
      expect.stringMatching(/^Scheduled: Successfully assigned default\/x to [ab]$/),
    );
  });

  test('says why a pod stays pending, and binds it when a node changes', async () => {
    await world.create(pods, { metadata: { name: 'x' }, spec: podSpec({ nodeSelector: { disk: 'fast' } }) });
    await world.until(async () => (await scheduled('x'))?.status === 'False');
    expect(await scheduled('x')).toMatchObject({
      reason: 'Unschedulable',
      message: expect.stringContaining('0/2 nodes are available'),
    });
    await world.patch(nodes, 'b', { metadata: { labels: { disk: 'fast' } } });
    await world.until(async () => (await nodeOf('x')) === 'b');
    expect(await scheduled('x')).toMatchObject({ status: 'True' });
  });

  test('leaves pods of other schedulers and gated ones alone', async () => {
    await world.create(pods, { metadata: { name: 'x' }, spec: podSpec({ schedulerName: 'mine' }) });
    await world.create(pods, { metadata: { name: 'y' }, spec: podSpec({ schedulingGates: [{ name: 'wait' }] }) });
    await world.rest();
    expect([await nodeOf('x'), await nodeOf('y')]).toEqual([undefined, undefined]);
  });
});
