// SPDX-License-Identifier: Apache-2.0
import { type Deployment, deployments, events } from '@operator-parts/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { annotation } from './deployment-networks.ts';
import { networks } from './network.ts';
import { createWorld, network, type World } from './testing/world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000 };
const key = { namespace: 'default', name: 'app' };
const labels = { app: 'app' };
const wish = '10.7.0.0/24 via 10.7.0.1';
const granted = { cidr: '10.7.0.0/24', gateway: '10.7.0.1' };

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await world.installCrd();
  world.startController();
});
afterEach(() => world[Symbol.asyncDispose]());

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, patience);
const actual = () => world.neutron.networks.get('default/app');
const apps = () => world.client.resource(deployments);
const api = () => world.client.resource(networks.resource);
const annotate = (value: string | null) =>
  apps().patch(key, { type: 'merge', patch: { metadata: { annotations: { [annotation]: value } } } });

function deployment(annotations: Readonly<Record<string, string>> = {}): Deployment {
  const containers = [{ name: 'app', image: 'app' }];
  const template = { metadata: { labels }, spec: { containers } };
  return { metadata: { ...key, annotations }, spec: { selector: { matchLabels: labels }, template } };
}

describe('a Deployment with the annotation', () => {
  test('gets a Network of its own, which changes with it and goes with it', async () => {
    const { metadata } = await apps().create(deployment({ [annotation]: wish }));
    await eventually(() => expect(actual()).toEqual(granted));
    const [owner] = (await api().get(key)).metadata?.ownerReferences ?? [];
    expect(owner).toMatchObject({ kind: 'Deployment', name: 'app', uid: metadata?.uid, controller: true });

    await annotate('10.8.0.0/24 via 10.8.0.1');
    await eventually(() => expect(actual()).toEqual({ cidr: '10.8.0.0/24', gateway: '10.8.0.1' }));
    await apps().delete(key, { propagationPolicy: 'Background' });
    await eventually(() => expect(actual()).toBeUndefined());
    await expect(api().get(key)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('gets it back when a user deletes it, and loses it with the annotation', async () => {
    await apps().create(deployment({ [annotation]: wish }));
    await eventually(() => expect(actual()).toEqual(granted));
    const first = (await api().get(key)).metadata?.uid;
    await api().delete(key);
    await eventually(async () => expect((await api().get(key)).metadata?.uid).not.toBe(first));
    await eventually(() => expect(actual()).toEqual(granted));
    await annotate(null);
    await eventually(() => expect(actual()).toBeUndefined());
  });

  test('that makes no sense is told so by an event, until it does', async () => {
    await apps().create(deployment({ [annotation]: '10.7.0.0/24 via 10.8.0.1' }));
    await eventually(async () => {
      const { items } = await world.client.resource(events).list({ namespace: 'default' });
      const [event] = items.filter(({ reason }) => reason === 'InvalidNetwork');
      expect(event?.message).toContain('the gateway 10.8.0.1 is not an address of the network 10.7.0.0/24');
    });
    await annotate(wish);
    await eventually(() => expect(actual()).toEqual(granted));
  });

  test('does not take over a Network that belongs to another owner', async () => {
    await api().create(network('app'));
    await eventually(() => expect(actual()).toBeDefined());
    await apps().create(deployment({ [annotation]: wish }));
    await eventually(async () => {
      const { items } = await world.client.resource(events).list({ namespace: 'default' });
      expect(items.map(({ reason }) => reason)).toContain('NetworkTaken');
    });
    expect((await api().get(key)).spec).toEqual(network('app').spec);
    await api().delete(key);
    await eventually(() => expect(actual()).toEqual(granted));
  });
});

test('a Deployment without the annotation gets none', async () => {
  await apps().create(deployment());
  await apps().create({
    ...deployment({ [annotation]: wish }),
    metadata: { ...key, name: 'other', annotations: { [annotation]: wish } },
  });
  await eventually(() => expect(world.neutron.networks.get('default/other')).toEqual(granted));
  expect(actual()).toBeUndefined();
});
