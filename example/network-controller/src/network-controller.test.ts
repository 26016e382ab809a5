// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@operator-parts/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { networks } from './network.ts';
import { finalizer } from './network-sync.ts';
import { startNeutron } from './neutron/neutron-server.ts';
import { createWorld, network, type World } from './testing/world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000 };
const key = { namespace: 'default', name: 'example-network' };
const name = 'default/example-network';
const settings = { cidr: '192.168.0.0/16', gateway: '192.168.0.1' };

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, patience);
/** Versions are never the same twice. */
const withoutVersion = (line: string) => line.replace(/ResourceVersion:"\d+"/, 'ResourceVersion:"N"');
const api = () => world.client.resource(networks.resource);
const actual = () => Object.fromEntries(world.neutron.networks);
const isGone = async () =>
  eventually(async () => {
    const error = await api()
      .get(key)
      .catch((cause: unknown) => cause);
    expect(isKubeError(error, 'NotFound')).toBe(true);
  });

describe('the control loop', () => {
  test('says what the tutorials say, from the start to the deletion', async () => {
    await world.installCrd();
    world.startController();
    await eventually(() => expect(world.lines).toContain('Started workers'));
    await api().create(network('example-network'));
    await eventually(() => expect(world.lines).toContain(`Successfully synced '${name}'`));
    await api().delete(key);
    await isGone();
    const warning = `Network: ${name} is being deleted, will delete it from Neutron ...`;
    await eventually(() => expect(world.lines.slice(world.lines.indexOf(warning)).length).toBeGreaterThan(3));

    const capital = world.lines.filter((line) => /^[A-Z[]/.test(line)).map(withoutVersion);
    expect(capital.filter((line, index) => line !== capital[index - 1])).toEqual([
      'Setting up event handlers',
      'Starting Network control loop',
      'Waiting for informer caches to sync',
      'Starting workers',
      'Started workers',
      '[Neutron] Try to process network: Network{Name:"example-network", Namespace:"default", ResourceVersion:"N", Spec:{Cidr:"192.168.0.0/16", Gateway:"192.168.0.1"}} ...',
      `Successfully synced '${name}'`,
      warning,
      `[Neutron] Deleting network: ${name} ...`,
      `Successfully synced '${name}'`,
    ]);
  });

  test('says which version of the object it has processed: the one that the API server shows', async () => {
    await world.installCrd();
    world.startController();
    await api().create(network('example-network'));
    await eventually(() => expect(world.lines).toContain(`Successfully synced '${name}'`));
    const { metadata } = await api().get(key);
    const line = world.lines.find((text) => text.startsWith('[Neutron] Try to process network'));
    expect(line).toContain(`ResourceVersion:"${metadata?.resourceVersion}"`);
  });

  test('a Network that was forced away is deleted from Neutron after a warning in the words of the tutorials', async () => {
    await world.installCrd();
    world.neutron.networks.set(name, settings);
    world.startController({ resyncPeriod: 100 });
    const warning = `Network: ${name} does not exist in local cache, will delete it from Neutron ...`;
    await eventually(() => expect(world.lines).toContain(warning));
    await eventually(() => expect(actual()).toEqual({}));
  });

  test('creates, changes and deletes in the network service', async () => {
    await world.installCrd();
    world.startController();
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    const changed = { cidr: '192.168.1.0/16', gateway: '192.168.1.1' };
    await api().patch(key, { type: 'merge', patch: { spec: changed } });
    await eventually(() => expect(actual()).toEqual({ [name]: changed }));
    await api().delete(key);
    await isGone();
    expect(actual()).toEqual({});
  });

  test('started before its CRD exists, it says so, and begins when the CRD appears', async () => {
    world.startController();
    const report =
      'Failed to list Network of samplecrd.k8s.io/v1: the server could not find the requested resource (get networks.samplecrd.k8s.io); waiting for its CRD';
    await eventually(() => expect(world.lines).toContain(report));
    expect(world.lines).not.toContain('Starting workers');
    await world.installCrd();
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
  });

  test('repairs what was changed behind its back, within the resync period', async () => {
    await world.installCrd();
    world.startController({ resyncPeriod: 100 });
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    world.neutron.networks.set(name, { cidr: '10.0.0.0/8', gateway: '10.0.0.1' });
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    world.neutron.networks.delete(name);
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
  });

  test('deletes networks of its own kind of names that no object declares, and leaves all others alone', async () => {
    await world.installCrd();
    world.neutron.networks.set('made by hand', settings);
    world.neutron.networks.set('default/forced-away', settings);
    world.startController({ resyncPeriod: 50 });
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings, 'made by hand': settings }));
    world.neutron.networks.set('default/behind-its-back', settings);
    await eventually(() => expect(actual()).toEqual({ [name]: settings, 'made by hand': settings }));
    const looks = () => world.lines.filter((line) => line.startsWith('Success')).length;
    const before = looks();
    await eventually(() => expect(looks()).toBeGreaterThan(before + 5));
    expect(actual()).toEqual({ [name]: settings, 'made by hand': settings });
  });

  test('looks for strays again after Neutron was down', async () => {
    await world.installCrd();
    world.neutron.networks.set('default/stray', settings);
    world.neutron.failures.failEvery(1);
    world.startController({ resyncPeriod: 50 });
    await eventually(() => expect(world.lines).toContain('Error looking for strays, it is tried again'));
    expect(actual()).toEqual({ 'default/stray': settings });
    world.neutron.failures.failEvery(0);
    await eventually(() => expect(actual()).toEqual({}));
  });
});

describe('the finalizer', () => {
  test('is there before anything is made in the network service', async () => {
    await world.installCrd();
    world.neutron.failures.failEvery(1);
    world.startController();
    await api().create(network('example-network'));
    await eventually(async () => expect((await api().get(key)).metadata?.finalizers).toEqual([finalizer]));
    expect(actual()).toEqual({});
  });

  test('holds a deleted Network until the network service, which was down, has deleted it too', async () => {
    await world.installCrd();
    world.startController();
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    const { networks: table, url } = world.neutron;
    await world.neutron[Symbol.asyncDispose]();
    await api().delete(key);
    await eventually(() => expect(world.lines).toContain(`Error syncing '${name}', it is tried again`));
    expect((await api().get(key)).metadata?.finalizers).toEqual([finalizer]);

    await using _revived = await startNeutron({ networks: table, port: Number(new URL(url).port) });
    await isGone();
    expect(actual()).toEqual({});
  });

  test('works for what is deleted while the controller is not running', async () => {
    await world.installCrd();
    world.startController();
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    await world.stopController();
    await api().delete(key);
    world.startController();
    await isGone();
    expect(actual()).toEqual({});
  });

  test('a Network whose finalizer was removed by hand is deleted in the network service all the same', async () => {
    await world.installCrd();
    world.startController();
    await api().create(network('example-network'));
    await eventually(() => expect(actual()).toEqual({ [name]: settings }));
    world.neutron.failures.failEvery(1);
    await api().delete(key);
    await api().patch(key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    world.neutron.failures.failEvery(0);
    await eventually(() => expect(actual()).toEqual({}));
  });
});
