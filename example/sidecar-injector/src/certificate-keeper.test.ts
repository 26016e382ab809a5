// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from 'node:crypto';
import { mutatingWebhookConfigurations, pods, secrets } from '@operator-parts/kube';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeCertificate } from './certificate.ts';
import { apply } from './testing/manifests.ts';
import { createWorld, type World } from './testing/world.ts';
import { mark } from './wants-sidecar.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 20 };
const key = { namespace: 'default', name: 'sidecar-injector' };

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await apply(world.client, 'example/envoy-initializer.yaml');
});
afterEach(() => world[Symbol.asyncDispose]());

const decode = (text = '') => Buffer.from(text, 'base64').toString();
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, patience);
const certificate = async () => decode((await world.client.resource(secrets).get(key)).data?.['tls.crt']);
const authority = async () => decode((await world.client.resource(secrets).get(key)).data?.['ca.crt']);
const create = (name: string) => {
  const metadata = { namespace: 'default', name, annotations: { [mark]: 'true' } };
  return world.client.resource(pods).create({ metadata, spec: { containers: [{ name: 'app', image: 'app' }] } });
};
const trusted = async () => {
  const { webhooks = [] } = await world.configuration();
  return webhooks.map(({ clientConfig }) => decode(clientConfig.caBundle));
};
const isTrusted = async () => {
  const served = new X509Certificate(await certificate());
  for (const bundle of await trusted()) expect(served.verify(new X509Certificate(bundle).publicKey)).toBe(true);
  return served;
};

test('the certificate is for the names by which the API server calls, which trusts it', async () => {
  await world.installWebhook();
  world.startInjector();
  expect((await eventually(isTrusted)).checkIP('127.0.0.1')).toBe('127.0.0.1');
});

test('nothing is made before there is a configuration, and all of it soon after', async () => {
  world.startInjector();
  await eventually(() => expect(world.lines).toContain('starting workers'));
  await expect(certificate()).rejects.toMatchObject({ code: 'NotFound' });
  await world.installWebhook();
  await eventually(isTrusted);
});

test('a restart keeps it', async () => {
  await world.installWebhook();
  world.startInjector();
  const starts = () => world.lines.filter((line) => line === 'webhook server is listening').length;
  await eventually(() => expect(starts()).toBe(1));
  const first = await certificate();
  await world.stopInjector();
  world.startInjector();
  await eventually(() => expect(starts()).toBe(2));
  expect(await certificate()).toBe(first);
});

test('a removed CA or an invalid Secret is repaired', async () => {
  await world.installWebhook();
  world.startInjector();
  const first = (await eventually(isTrusted)).fingerprint256;
  const present = await world.configuration();
  const wiped = present.webhooks?.map((webhook) => ({ ...webhook, clientConfig: { url: webhook.clientConfig.url } }));
  await world.client.resource(mutatingWebhookConfigurations).replace({ ...present, webhooks: wiped } as typeof present);
  expect((await eventually(isTrusted)).fingerprint256).toBe(first);

  const data = { 'tls.crt': Buffer.from('broken').toString('base64') };
  await world.client.resource(secrets).patch(key, { type: 'merge', patch: { data } });
  expect((await eventually(isTrusted)).fingerprint256).not.toBe(first);
});

test.each([
  ['garbage', 'garbage'],
  ['nothing', ''],
  ['the authority of somebody else', 'other'],
])(
  'a CA in the Secret that has become %s is repaired, with the same certificate, and no Pod is affected',
  async (_name, text) => {
    await world.installWebhook('Fail');
    world.startInjector();
    await eventually(() => create('first'));
    const [before, whole] = [await certificate(), await authority()];
    const request = { names: ['127.0.0.1'], now: Date.now(), lifetime: 60_000, random: seededRandom(1) };
    const damaged = text === 'other' ? (await makeCertificate(request)).authority : text;
    const data = { 'ca.crt': Buffer.from(damaged).toString('base64') };
    await world.client.resource(secrets).patch(key, { type: 'merge', patch: { data } });
    for (let count = 0; (await authority()) !== whole; count++) {
      expect((await create(`pod-${count}`)).spec?.containers.length).toBe(2);
    }
    expect((await create('last')).spec?.containers.length).toBe(2);
    expect(await certificate()).toBe(before);
  },
);

test('a Secret that is deleted is recreated, and no Pod notices', async () => {
  await world.installWebhook('Fail');
  world.startInjector();
  await eventually(() => create('first'));
  const first = await world.servedCertificate();
  await world.client.resource(secrets).delete(key);
  for (let count = 0; (await world.servedCertificate()) === first; count++) {
    expect((await create(`pod-${count}`)).spec?.containers.length).toBe(2);
  }
  expect((await create('last')).spec?.containers.length).toBe(2);
});

test('it is replaced before it expires', async () => {
  const minute = 60_000;
  const certificateLifetime = 6 * minute;
  await world.installWebhook();
  world.startInjector({ certificateLifetime });
  const first = (await eventually(isTrusted)).fingerprint256;
  await world.stopInjector();
  world.startInjector({ certificateLifetime, clock: { ...systemClock, now: () => systemClock.now() + 3 * minute } });
  await eventually(() => expect(world.lines.filter((line) => line === 'starting workers').length).toBe(2));
  expect((await isTrusted()).fingerprint256).toBe(first);
  await world.stopInjector();
  world.startInjector({ certificateLifetime, clock: { ...systemClock, now: () => systemClock.now() + 5 * minute } });
  await eventually(async () => expect((await isTrusted()).fingerprint256).not.toBe(first));
});

test('while it is replaced, because the API server calls by another name, no Pod notices', async () => {
  await world.installWebhook('Fail');
  world.startInjector();
  await eventually(() => create('first'));
  const first = await world.servedCertificate();
  const present = await world.configuration();
  // The second webhook, which is not used here, so that no Pod depends on the new name before it exists.
  const webhooks = present.webhooks?.map((webhook, index) =>
    index === 0 ? webhook : { ...webhook, clientConfig: { url: 'https://localhost:1/inject/namespace' } },
  );
  await world.client.resource(mutatingWebhookConfigurations).replace({ ...present, webhooks } as typeof present);
  for (let count = 0; (await world.servedCertificate()) === first; count++) {
    expect((await create(`pod-${count}`)).spec?.containers.length).toBe(2);
  }
  expect((await create('last')).spec?.containers.length).toBe(2);
  for (const bundle of await trusted()) expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBe(2);
});
