// SPDX-License-Identifier: Apache-2.0
import { endpointSlices, endpoints, pods, type Service, services } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;
const labels = { app: 'x' };

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const service = (change: Partial<NonNullable<Service['spec']>> = {}) =>
  world.create(services, {
    metadata: { name: 's' },
    spec: { selector: labels, ports: [{ name: 'web', port: 80, targetPort: 'http' }], ...change },
  });
const pod = (name: string, change = {}) => {
  const containers = [{ name: 'main', image: 'image:1', ports: [{ name: 'http', containerPort: 8080 }] }];
  return world.create(pods, { metadata: { name, labels }, spec: podSpec({ containers, ...change }) });
};
const slice = async () =>
  (await world.list(endpointSlices)).find(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] === 's');
const conditions = async () => (await slice())?.endpoints?.map((each) => each.conditions);

describe('the endpoints of a service', () => {
  test('are its ready pods, with their ports by name', async () => {
    await service();
    await pod('p', { hostname: 'p', subdomain: 's' });
    await world.until(async () => (await conditions())?.[0]?.ready === true);
    expect(await slice()).toMatchObject({
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.1.2'], hostname: 'p', targetRef: { kind: 'Pod', name: 'p' } }],
      ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
    });
    expect((await world.get(endpoints, 's')).subsets).toMatchObject([
      { addresses: [{ ip: '10.244.1.2', hostname: 'p' }], ports: [{ port: 8080 }] },
    ]);
  });

  test('are listed as not ready until they are', async () => {
    world.kubelet = () => 'wait';
    await service();
    const made = await pod('p');
    await world.rest();
    await world.setPod(made, 'Running', false);
    await world.rest();
    expect(await conditions()).toEqual([{ ready: false, serving: false, terminating: false }]);
    expect((await world.get(endpoints, 's')).subsets).toMatchObject([{ notReadyAddresses: [{ ip: '10.244.1.2' }] }]);
    await world.setPod(made, 'Running');
    await world.rest();
    expect(await conditions()).toEqual([{ ready: true, serving: true, terminating: false }]);
  });

  test('count as ready at once if the service publishes them so', async () => {
    world.kubelet = () => 'wait';
    await service({ publishNotReadyAddresses: true });
    const made = await pod('p');
    await world.rest();
    await world.setPod(made, 'Running', false);
    await world.rest();
    expect(await conditions()).toEqual([{ ready: true, serving: true, terminating: false }]);
    expect((await world.get(endpoints, 's')).subsets?.[0]?.addresses).toHaveLength(1);
  });

  test('go when the pod ends, loses its labels, or the service its selector', async () => {
    await service();
    const made = await pod('p');
    await pod('q');
    await world.until(async () => (await slice())?.endpoints?.length === 2);
    await world.setPod(made, 'Succeeded');
    await world.until(async () => (await slice())?.endpoints?.length === 1);
    await world.patch(pods, 'q', { metadata: { labels: { app: 'other' } } });
    await world.until(async () => (await slice())?.endpoints?.length === 0);
    await world.client.resource(services).delete({ namespace: 'default', name: 's' });
    await world.until(async () => (await slice()) === undefined);
    expect(await world.list(endpoints)).toEqual([]);
  });

  test('of a service without a selector are left to others', async () => {
    await world.create(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    await world.rest();
    expect(await slice()).toBeUndefined();
  });
});
