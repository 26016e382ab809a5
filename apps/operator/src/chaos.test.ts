// SPDX-License-Identifier: Apache-2.0
import { createClient, namespaces, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { Chaos } from './chaos.ts';

const { signal } = new AbortController();

async function world(level: number) {
  const client = createClient(createApiServer({}).transport());
  await client.resource(namespaces).create({ metadata: { name: 'ns' } });
  for (const [name, app] of [
    ['a', 'etcd'],
    ['b', 'etcd'],
    ['other', 'web'],
  ] as const) {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await client.resource(pods).create({ metadata: { name, namespace: 'ns', labels: { app } }, spec });
  }
  const chaos = new Chaos({
    client,
    clock: new VirtualClock(),
    random: seededRandom(7),
    log: silentLogger,
    namespace: 'ns',
    level,
  });
  return {
    chaos,
    left: async () => (await client.resource(pods).list({ namespace: 'ns' })).items.map((pod) => pod.metadata?.name),
  };
}

test('[73] level 1 deletes one member pod and no other', async () => {
  const { chaos, left } = await world(1);
  expect(await chaos.strike(signal)).toHaveLength(1);
  expect(await left()).toContain('other');
});

test('[73] level 2 deletes up to five, and never a pod that is no member', async () => {
  const { chaos, left } = await world(2);
  for (let strikes = 0; strikes < 5; strikes++) await chaos.strike(signal);
  expect(await left()).toEqual(['other']);
});
