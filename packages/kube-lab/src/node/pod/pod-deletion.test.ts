// SPDX-License-Identifier: Apache-2.0
import { pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { app, NodeWorld } from '../testing/node-world.ts';

let world: NodeWorld;

beforeEach(async () => {
  world = await NodeWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const key = { namespace: 'default', name: 'p' };
const isReady = async () =>
  (await world.pod('p')).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const phase = async () => (await world.pod('p')).status?.phase;

describe('a deleted pod', () => {
  test('ends by SIGTERM, then its object goes', async () => {
    await world.create('p', {});
    await world.runs('app', 1);
    await world.client.resource(pods).delete(key);
    await world.until(async () => !(await world.exists('p')));
    expect(world.runtime.latest('app').signals).toEqual(['SIGTERM']);
    expect(world.runtime.sandboxes.size).toBe(0);
    await world.until(() => world.node.kubelet.workers.length === 0);
  });

  test('gets SIGKILL after its grace period', async () => {
    world.runtime.endsOnTerm = false;
    await world.create('p', { terminationGracePeriodSeconds: 20 });
    await world.runs('app', 1);
    await world.client.resource(pods).delete(key);
    await world.until(() => world.runtime.latest('app').signals.length === 1);
    await world.clock.advance(19_999);
    expect(await world.exists('p')).toBe(true);
    await world.clock.advance(1);
    await world.until(async () => !(await world.exists('p')));
    expect(world.runtime.latest('app').signals).toEqual(['SIGTERM', 'SIGKILL']);
  });

  test('ends sooner if it is deleted again with a shorter grace period', async () => {
    world.runtime.endsOnTerm = false;
    await world.create('p', { terminationGracePeriodSeconds: 600 });
    await world.runs('app', 1);
    await world.client.resource(pods).delete(key);
    await world.until(() => world.runtime.latest('app').signals.length === 1);
    await world.client.resource(pods).delete(key, { gracePeriodSeconds: 5 });
    await world.clock.advance(5000);
    await world.until(async () => !(await world.exists('p')));
    expect(world.runtime.latest('app').signals).toEqual(['SIGTERM', 'SIGKILL']);
  });

  test('runs its preStop hook first', async () => {
    const lifecycle = { preStop: { exec: { command: ['bye'] } } };
    await world.create('p', { containers: [app({ lifecycle })] });
    await world.runs('app', 1);
    world.runtime.probeOutcome = () => {
      expect(world.runtime.latest('app').signals).toEqual([]);
      return { success: true, output: '' };
    };
    await world.client.resource(pods).delete(key);
    await world.until(async () => !(await world.exists('p')));
    expect(world.runtime.probes).toHaveLength(1);
  });

  test('that was removed by force is ended all the same', async () => {
    await world.create('p', {});
    await world.runs('app', 1);
    await world.client.resource(pods).delete(key, { gracePeriodSeconds: 0 });
    await world.until(() => !world.runtime.latest('app').running);
    await world.until(() => world.runtime.sandboxes.size === 0);
    expect(await world.exists('p')).toBe(false);
  });

  test('that had ended before goes at once', async () => {
    await world.create('p', { restartPolicy: 'Never' });
    await world.runs('app', 1);
    world.runtime.end('app', 0);
    await world.until(async () => (await phase()) === 'Succeeded');
    await world.client.resource(pods).delete(key);
    expect(await world.exists('p')).toBe(false);
    await world.until(() => world.node.kubelet.workers.length === 0);
  });
});

test('a node that is cut off runs its pods on and catches up afterwards', async () => {
  await world.create('p', {});
  await world.runs('app', 1);
  await world.until(isReady);
  world.node.disconnect();
  await world.client.resource(pods).delete(key);
  world.runtime.end('app', 1);
  await world.runs('app', 2);
  expect((await world.status('p'))?.restartCount).toBe(0);
  world.node.reconnect();
  await world.until(async () => !(await world.exists('p')));
  expect(world.runtime.latest('app').running).toBe(false);
});
