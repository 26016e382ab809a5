// SPDX-License-Identifier: Apache-2.0
import { pods, services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coreosPod, coreosServices } from '../../../testing/coreos-cluster.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.3'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const uids = async () => (await ground.pods('old')).map((pod) => pod.metadata?.uid ?? '').sort();

const memberIds = async () => (await ground.get('old')).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];

describe('a cluster made by CoreOS etcd-operator, etcd 3.3', () => {
  test('[101] is taken over with no pod restarted (C-40)', async () => {
    await ground.create('old', { size: 3, version: '3.3.25', paused: true });
    const created = await ground.get('old');
    const members = ['old-bcdfghjklm', 'old-npqrstvwxz', 'old-2456789bcd'];
    const uid = created.metadata?.uid ?? '';
    const coreos = { name: 'old', namespace: 'default', uid, version: '3.3.25', members };
    const client = ground.lab.client();
    for (const service of coreosServices(coreos)) await client.resource(services).create(service);
    for (const member of members) await client.resource(pods).create(coreosPod(coreos, member));
    await ground.until(
      'three run',
      async () => {
        const found = await ground.pods('old');
        return found.filter(({ status }) =>
          status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
        ).length === 3
          ? true
          : undefined;
      },
      180_000,
    );
    await ground.put('old', 'a', '1');
    const before = await uids();
    await ground.change('old', { paused: false });
    const { status } = await ground.settled('old');
    expect(await uids()).toEqual(before);
    expect((await ground.pods('old')).map((pod) => pod.status?.containerStatuses?.[0]?.restartCount)).toEqual([
      0, 0, 0,
    ]);
    expect(status?.conditions?.find(({ type }) => type === 'AdoptedPods')?.status).toBe('True');
    expect(status?.clusterID).toMatch(/^[0-9a-f]+$/);
  });

  test('its Services are brought up to date and keep their address', async () => {
    const found = await ground.lab.client().resource(services).get({ namespace: 'default', name: 'old' });
    expect(found.spec?.publishNotReadyAddresses).toBe(true);
  });

  test('[101] then it is resized', async () => {
    await ground.change('old', { size: 4 });
    await ground.settled('old');
    expect(await ground.read('old', 'a')).toBe('1');
  });

  test('[101] and healed (C-41)', async () => {
    const before = await memberIds();
    await ground.deletePod('old-bcdfghjklm', 0);
    await ground.until('another member', async () => ((await memberIds()).join() === before.join() ? undefined : true));
    await ground.settled('old');
    expect(await ground.pods('old')).toHaveLength(4);
    expect(await ground.read('old', 'a')).toBe('1');
  });
});
