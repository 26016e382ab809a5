// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { isKubeError, keyOf } from '@operator-parts/kube';
import { seededRandom } from '@operator-parts/ports';
import { expect, test, vi } from 'vitest';
import { networks } from './network.ts';
import type { NetworkSettings } from './neutron/neutron.ts';
import { createWorld, network, type World } from './testing/world.ts';

const count = 500;
const random = seededRandom(10);
const settingsOf = (number: number): NetworkSettings => {
  const [high, low] = [number >> 8, number & 255];
  return { cidr: `10.${high}.${low}.0/24`, gateway: `10.${high}.${low}.1` };
};

/** For half a second the service is down, connections break, and it forgets its state. */
async function restartApiServer({ server }: World): Promise<void> {
  const { faults } = server;
  const down = faults.loseRequest({});
  faults.cutWatches({}, 'reset');
  await sleep(500);
  faults.compact();
  down.remove();
}

/** Repeats a call that failed because the server is down, as a user would. */
async function persist(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (isKubeError(error, 'AlreadyExists', 'NotFound')) return;
      if (!isKubeError(error, 'ConnectionLost')) throw error;
      await sleep(20);
    }
  }
}

/** Creates networks, changes two thirds of them, and deletes every other one. Returns the desired final state. */
async function liveThrough({ client }: World, number: number): Promise<NetworkSettings | undefined> {
  const api = client.resource(networks.resource);
  const object = network(`n${number}`, settingsOf(number));
  await sleep(random.next() * 2000);
  await persist(() => api.create(object));
  const spec = settingsOf(number + 1000);
  await sleep(random.next() * 1000);
  if (number % 3 > 0) await persist(() => api.patch(keyOf(object), { type: 'merge', patch: { spec } }));
  await sleep(random.next() * 1000);
  if (number % 2 > 0) await persist(() => api.delete(keyOf(object)));
  if (number % 2 > 0) return undefined;
  return number % 3 > 0 ? spec : object.spec;
}

test('500 networks come, change and go while Neutron fails every third call and the API server restarts twice: in the end both sides are equal', {
  timeout: 120_000,
}, async () => {
  await using world = await createWorld();
  await world.installCrd();
  world.neutron.failures.failEvery(3);
  world.startController({ workers: 8, resyncPeriod: 2000 });
  const lifetimes = Array.from(
    { length: count },
    async (_, number) => [number, await liveThrough(world, number)] as const,
  );
  await sleep(1000);
  await restartApiServer(world);
  await sleep(700);
  await restartApiServer(world);

  const ends = await Promise.all(lifetimes);
  const wanted = new Map(ends.flatMap(([number, end]) => (end ? [[`default/n${number}`, end] as const] : [])));
  expect(wanted.size).toBeGreaterThan(200);
  await vi.waitFor(
    async () => {
      const { items } = await world.client.resource(networks.resource).list();
      expect(items.length).toBe(wanted.size);
      expect(world.neutron.networks).toEqual(wanted);
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(world.neutron.failures.failed).toBeGreaterThan(count);
});
