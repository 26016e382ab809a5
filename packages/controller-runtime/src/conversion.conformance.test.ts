// SPDX-License-Identifier: Apache-2.0

import { selfSignedCertificate } from '@etcd-operator/tools';
import {
  type Client,
  type CustomResourceDefinition,
  customResourceDefinitions,
  isKubeError,
  type KubeObject,
  type Resource,
} from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebhookServer } from './index.ts';
import { RealServer } from './testing/real-server.ts';

interface Measured extends KubeObject {
  readonly spec: { readonly size?: string; readonly bytes?: number };
}

const soon = { timeout: 60_000, interval: 100 };
const kindOf = (version: string): Resource<Measured> => ({
  group: 'conversion.example.com',
  version,
  kind: 'Disk',
  plural: 'disks',
  namespaced: true,
});
const [v1, v2] = [kindOf('v1'), kindOf('v2')];
let server: RealServer;
let client: Client;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await RealServer.start();
  const opened = server.client();
  client = opened.client;
  endings.push(opened.close);
}, 600_000);
afterAll(async () => {
  for (const end of endings.reverse()) await end();
  await server[Symbol.asyncDispose]();
});

/** v1 says `size: 5k`, v2 says `bytes: 5000`. */
function convert(object: KubeObject, apiVersion: string): KubeObject {
  const { spec } = object as Measured;
  if (spec.size === 'poison') throw new Error('this disk cannot be converted');
  const converted = apiVersion.endsWith('/v2')
    ? { bytes: Number.parseInt(spec.size ?? '0', 10) * 1000 }
    : { size: `${(spec.bytes ?? 0) / 1000}k` };
  return { ...object, spec: converted } as KubeObject;
}

async function startWebhook(): Promise<NonNullable<CustomResourceDefinition['spec']['conversion']>> {
  const certificate = await selfSignedCertificate('webhook');
  const webhooks = new WebhookServer({ host: '127.0.0.1', port: 0, certificate: async () => certificate });
  webhooks.convert('/convert', convert);
  const stop = new AbortController();
  const ended = webhooks.run(stop.signal);
  endings.push(async () => {
    stop.abort();
    await ended;
  });
  await vi.waitFor(() => expect(webhooks.ready()).toBeUndefined(), soon);
  return {
    strategy: 'Webhook',
    webhook: {
      conversionReviewVersions: ['v1'],
      clientConfig: {
        url: `https://127.0.0.1:${webhooks.address?.port}/convert`,
        caBundle: Buffer.from(certificate.cert).toString('base64'),
      },
    },
  };
}

function definition(conversion: CustomResourceDefinition['spec']['conversion']): CustomResourceDefinition {
  const version = (name: string, field: Record<string, { type: string }>, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: field } } } },
  });
  return {
    metadata: { name: 'disks.conversion.example.com' },
    spec: {
      group: 'conversion.example.com',
      scope: 'Namespaced',
      names: { kind: 'Disk', plural: 'disks', singular: 'disk', listKind: 'DiskList' },
      versions: [
        version('v1', { size: { type: 'string' } }, true),
        version('v2', { bytes: { type: 'integer' } }, false),
      ],
      ...(conversion && { conversion }),
    },
  };
}

test('a real API server has objects converted both ways, one by one and in lists, and shows why one could not be', async () => {
  await client.resource(customResourceDefinitions).create(definition(await startWebhook()));
  const disk = (name: string, spec: Measured['spec']) =>
    ({ metadata: { namespace: 'default', name }, spec }) as Measured;
  await vi.waitFor(() => client.resource(v1).create(disk('one', { size: '5k' })), soon);
  await vi.waitFor(async () => {
    const read = await client.resource(v2).get({ namespace: 'default', name: 'one' });
    expect([read.apiVersion, read.spec]).toEqual(['conversion.example.com/v2', { bytes: 5000 }]);
  }, soon);

  const made = await client.resource(v2).create(disk('two', { bytes: 7000 }));
  expect(made.spec).toEqual({ bytes: 7000 });
  const stored = await client.resource(v1).get({ namespace: 'default', name: 'two' });
  expect([stored.metadata?.uid, stored.spec]).toEqual([made.metadata?.uid, { size: '7k' }]);
  const { items } = await client.resource(v2).list({ namespace: 'default' });
  expect(items.map(({ spec }) => spec.bytes)).toEqual([5000, 7000]);

  await client.resource(v1).create(disk('three', { size: 'poison' }));
  const error = await client
    .resource(v2)
    .get({ namespace: 'default', name: 'three' })
    .catch((reason: unknown) => reason);
  expect(isKubeError(error) && error.message).toContain('this disk cannot be converted');
}, 180_000);
