// SPDX-License-Identifier: Apache-2.0
import { configMaps, mutatingWebhookConfigurations, namespaces, type Pod, pods } from '@operator-parts/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apply } from './testing/manifests.ts';
import { createWorld, type World } from './testing/world.ts';
import { mark } from './wants-sidecar.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 20 };
const asks = { annotations: { [mark]: 'true' } };
const config = { namespace: 'default', name: 'envoy-initializer' };

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await apply(world.client, 'example/envoy-initializer.yaml');
});
afterEach(() => world[Symbol.asyncDispose]());

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, patience);

async function start(failurePolicy: 'Fail' | 'Ignore' = 'Fail'): Promise<void> {
  await world.installWebhook(failurePolicy);
  world.startInjector();
  await eventually(async () => expect(containersOf(await create('probe', asks, true))).toEqual(['app', 'envoy']));
}

function create(name: string, metadata: Pod['metadata'] = {}, dryRun = false): Promise<Pod> {
  const containers = [{ name: 'app', image: 'app' }];
  const pod = { metadata: { namespace: 'default', name, ...metadata }, spec: { containers } };
  return world.client.resource(pods).create(pod, { dryRun });
}

const containersOf = ({ spec }: Pod) => spec?.containers.map(({ name }) => name);
const setConfig = (text: string) =>
  world.client.resource(configMaps).patch(config, { type: 'merge', patch: { data: { config: text } } });

/** Changes the failure policies of webhooks, each selected by the first part of its name. */
async function setPolicies(policies: Readonly<Record<string, 'Fail' | 'Ignore'>>): Promise<void> {
  await eventually(async () => {
    const present = await world.configuration();
    const webhooks = (present.webhooks ?? []).map((webhook) => {
      const failurePolicy = policies[webhook.name.split('.')[0] ?? ''];
      return failurePolicy ? { ...webhook, failurePolicy } : webhook;
    });
    await world.client.resource(mutatingWebhookConfigurations).replace({ ...present, webhooks });
  });
}

describe('a new Pod', () => {
  test('that asks for it gets the containers and volumes of the ConfigMap', async () => {
    await start();
    const { spec } = await create('one', asks);
    expect(spec?.containers[1]).toMatchObject({ name: 'envoy', ports: [{ containerPort: 15001, protocol: 'TCP' }] });
    expect(spec?.volumes).toContainEqual(expect.objectContaining({ name: 'envoy-conf' }));
  });

  test('that does not ask is left alone', async () => {
    await start();
    expect(containersOf(await create('one'))).toEqual(['app']);
    expect(containersOf(await create('two', { annotations: { [mark]: 'no' } }))).toEqual(['app']);
  });

  test('of a namespace that asks gets them too, unless it declines', async () => {
    await world.client.resource(namespaces).create({ metadata: { name: 'mine', labels: { [mark]: 'enabled' } } });
    await start();
    const mine = { namespace: 'mine' };
    await eventually(async () => expect(containersOf(await create('probe', mine, true))).toEqual(['app', 'envoy']));
    const declines = { ...mine, annotations: { [mark]: 'false' } };
    expect(containersOf(await create('one', declines))).toEqual(['app']);
  });

  test('of kube-system, or of the injector itself, is never touched', async () => {
    await start();
    expect(containersOf(await create('one', { ...asks, namespace: 'kube-system' }))).toEqual(['app']);
    expect(containersOf(await create('two', { ...asks, labels: { app: 'sidecar-injector' } }))).toEqual(['app']);
  });

  test('gets what the ConfigMap says by then', async () => {
    await start();
    await setConfig('containers: [{ name: other, image: other }]');
    await eventually(async () => expect(containersOf(await create('probe', asks, true))).toEqual(['app', 'other']));
  });
});

describe('with a broken ConfigMap', () => {
  const problem = 'ConfigMap default/envoy-initializer must hold a list as containers';

  test('and the failure policy Fail a Pod that asks is refused in words; others are not', async () => {
    await start('Fail');
    await setConfig('containers: broken');
    await eventually(() => expect(create('one', asks, true)).rejects.toThrow(problem));
    await expect(create('one', asks)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(containersOf(await create('two'))).toEqual(['app']);
  });

  test('and the failure policy Ignore it passes as it is, with a warning', async () => {
    await start('Ignore');
    await setConfig('containers: broken');
    await eventually(async () => expect(containersOf(await create('probe', asks, true))).toEqual(['app']));
    const body = { metadata: { name: 'one', ...asks }, spec: { containers: [{ name: 'app', image: 'app' }] } };
    const answer = await world.server.transport().request({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['warning']).toContain(problem);
  });

  test.each([
    ['a wrong type', '{ name: envoy, image: 5 }', 'must hold a string as containers[0].image'],
    ['a directive', '{ name: app, $patch: delete }', 'has "$patch" in containers[0]'],
    ['a list of wrong items', '{ name: app, env: [null] }', 'must hold an object as containers[0].env[0]'],
    ['no image anywhere', '{ name: envoy }', 'has no image for envoy, a container that this Pod lacks'],
  ])('that holds %s, it is the same', async (_name, container, words) => {
    await start('Fail');
    await setConfig(`containers: [${container}]`);
    await eventually(() => expect(create('one', asks, true)).rejects.toThrow(words));
    await setPolicies({ annotated: 'Ignore' });
    await eventually(async () => expect(containersOf(await create('one', asks, true))).toEqual(['app']));
  });

  test('each webhook goes by its own failure policy', async () => {
    await world.client.resource(namespaces).create({ metadata: { name: 'mine', labels: { [mark]: 'enabled' } } });
    await start();
    await setPolicies({ annotated: 'Ignore' });
    await setConfig('containers: broken');
    await eventually(async () => expect(containersOf(await create('probe', asks, true))).toEqual(['app']));
    await expect(create('one', { namespace: 'mine' }, true)).rejects.toThrow(problem);
    await setPolicies({ annotated: 'Fail', namespaces: 'Ignore' });
    await eventually(() => expect(create('one', asks, true)).rejects.toThrow(problem));
    await eventually(async () =>
      expect(containersOf(await create('two', { namespace: 'mine' }, true))).toEqual(['app']),
    );
  });

  test('that is put right the next Pod is served again', async () => {
    await start();
    await world.client.resource(configMaps).delete(config);
    await eventually(() => expect(create('one', asks, true)).rejects.toThrow('envoy-initializer does not exist'));
    await apply(world.client, 'example/envoy-initializer.yaml');
    await eventually(async () => expect(containersOf(await create('one', asks, true))).toEqual(['app', 'envoy']));
  });
});

describe('without an injector', () => {
  test('and with the failure policy Fail a Pod that asks is refused; others are not', async () => {
    await start('Fail');
    await world.stopInjector();
    await expect(create('one', asks)).rejects.toThrow(
      'failed calling webhook "annotated.sidecar-injector.example.com"',
    );
    expect(containersOf(await create('two'))).toEqual(['app']);
  });

  test('a Pod that declines is made, whatever its namespace asks for', async () => {
    await world.client.resource(namespaces).create({ metadata: { name: 'mine', labels: { [mark]: 'enabled' } } });
    await start('Fail');
    await world.stopInjector();
    const declines = { namespace: 'mine', annotations: { [mark]: 'false' } };
    expect(containersOf(await create('one', declines))).toEqual(['app']);
  });

  test('and with the failure policy Ignore it passes as it is', async () => {
    await start('Ignore');
    await world.stopInjector();
    expect(containersOf(await create('one', asks))).toEqual(['app']);
  });
});

test('the manifests for a cluster are accepted', async () => {
  await apply(world.client, 'deploy/webhook.yaml');
  await apply(world.client, 'deploy/deployment.yaml');
  expect((await world.configuration()).webhooks?.map(({ clientConfig }) => clientConfig.service?.port)).toEqual([
    443, 443,
  ]);
});
