// SPDX-License-Identifier: Apache-2.0

import { selfSignedCertificate } from '@etcd-operator/tools';
import { crdOf, defineKind, int32, object, optional, string } from '@operator-parts/crd';
import {
  type Client,
  type ConfigMap,
  configMaps,
  customResourceDefinitions,
  isKubeError,
  keyOf,
  leases,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@operator-parts/kube';
import { createLogger, type LogRecord, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  allow,
  buildController,
  change,
  createManager,
  deny,
  done,
  Informer,
  type InformerOptions,
  type Manager,
  MetricRegistry,
  setControllerReference,
  WebhookServer,
} from './index.ts';
import { CuttableProxy } from './testing/cuttable-proxy.ts';
import { RealServer } from './testing/real-server.ts';

const widgets = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  description: 'A thing to test with.',
  spec: object({ size: int32() }),
  status: object({ observed: optional(int32()), text: optional(string()) }),
});

let server: RealServer;
let client: Client;
let closeClient: () => Promise<void>;
const endings: (() => Promise<unknown>)[] = [];

function clientAt(port: number): Client {
  const through = server.client(port);
  endings.push(() => through.close());
  return through.client;
}

function informerOf(options: Partial<InformerOptions<ConfigMap>> = {}, over: Client = client) {
  const metrics = new MetricRegistry();
  const told: string[] = [];
  const informer = new Informer<ConfigMap>({
    resource: configMaps,
    reader: over.resource(configMaps),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics,
    ...options,
  });
  informer.addHandler({
    added: ({ metadata }) => void told.push(`+${metadata?.name}`),
    updated: (_, { metadata }) => void told.push(`~${metadata?.name}`),
    removed: ({ metadata }, how) => void told.push(`-${metadata?.name}${how.finalStateUnknown ? ' unknown' : ''}`),
  });
  const stop = new AbortController();
  const ended = informer.run(stop.signal);
  endings.push(async () => {
    stop.abort();
    await ended;
  });
  const metric = (line: string) => Number(new RegExp(`^${line}[^ ]* (\\d+)`, 'm').exec(metrics.render())?.[1] ?? 0);
  return { informer, told, metric };
}

function run(manager: Manager): AbortController {
  const stop = new AbortController();
  const ended = manager.run(stop.signal).catch(() => undefined);
  endings.push(async () => {
    stop.abort();
    await ended;
  });
  return stop;
}

const soon = { timeout: 60_000, interval: 50 };
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { namespace: 'default', name },
  data,
});

beforeAll(async () => {
  server = await RealServer.start();
  ({ client, close: closeClient } = server.client());
}, 600_000);
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});
afterAll(async () => {
  await closeClient();
  await server[Symbol.asyncDispose]();
});

describe('informers on a real API server', { timeout: 180_000 }, () => {
  test('a streaming list and its watch are one request, and every change arrives', async () => {
    const { informer, told, metric } = informerOf({ namespace: 'default' });
    await informer.whenSynced();
    const maps = client.resource(configMaps);
    await maps.create(map('first'));
    await maps.patch({ namespace: 'default', name: 'first' }, { type: 'merge', patch: { data: { a: '1' } } });
    await maps.delete({ namespace: 'default', name: 'first' });
    await vi.waitFor(
      () => expect(told.filter((line) => line.endsWith('first'))).toEqual(['+first', '~first', '-first']),
      soon,
    );
    expect([metric('reflector_lists_total'), metric('reflector_watches_total')]).toEqual([1, 0]);
    expect(informer.status.phase).toBe('live');
  });

  test('a restart of the API server in the middle of watching loses nothing and tells nothing twice', async () => {
    const { informer, told, metric } = informerOf({ namespace: 'default' });
    await informer.whenSynced();
    await client.resource(configMaps).create(map('before-restart'));
    await vi.waitFor(() => expect(told).toContain('+before-restart'), soon);
    await server.down();
    await vi.waitFor(() => expect(informer.status.phase).toBe('stale'), soon);
    expect(informer.lister.get('default/before-restart')).toBeDefined();
    await server.up();
    await vi.waitFor(async () => client.resource(configMaps).create(map('after-restart')), soon);
    await vi.waitFor(() => expect(told).toContain('+after-restart'), { ...soon, timeout: 60_000 });
    expect(told.filter((line) => line === '+before-restart')).toHaveLength(1);
    // The server was down for long: one list is expected, not more.
    expect(metric('reflector_lists_total')).toBeLessThanOrEqual(2);
  });

  test('history that was compacted while the cache was disconnected leads to a new list; deletes missed meanwhile are reported as such, and nothing twice', async () => {
    await using proxy = await CuttableProxy.to(server.port);
    const maps = client.resource(configMaps);
    await maps.create(map('kept'));
    await maps.create(map('missed'));
    const { informer, told, metric } = informerOf({ namespace: 'default' }, clientAt(proxy.port));
    await informer.whenSynced();
    proxy.refusing = true;
    proxy.cut();
    await maps.delete({ namespace: 'default', name: 'missed' });
    // A server that starts after the compaction has no earlier history in its cache either.
    await server.down();
    await server.compact();
    await server.up();
    await vi.waitFor(async () => maps.create(map('new')), soon);
    proxy.refusing = false;
    await vi.waitFor(() => expect(told).toContain('-missed unknown'), { ...soon, timeout: 60_000 });
    expect(metric('reflector_lists_total')).toBe(2);
    expect(told.filter((line) => line.endsWith('kept'))).toEqual(['+kept']);
    expect(told).toContain('+new');
    expect(informer.status.phase).toBe('live');
  });

  test('after a server outage, the cache catches up with a complete view', async () => {
    await using proxy = await CuttableProxy.to(server.port);
    const { informer, told, metric } = informerOf({ namespace: 'default' }, clientAt(proxy.port));
    await informer.whenSynced();
    proxy.refusing = true;
    proxy.cut();
    await vi.waitFor(() => expect(informer.status.phase).toBe('stale'), soon);
    await client.resource(configMaps).create(map('meanwhile'));
    await client.resource(configMaps).create(map('fleeting'));
    await client.resource(configMaps).delete({ namespace: 'default', name: 'fleeting' });
    proxy.refusing = false;
    await vi.waitFor(() => expect(told).toContain('+meanwhile'), soon);
    expect(told).not.toContain('+fleeting');
    expect(metric('reflector_lists_total')).toBe(2);
  });

  test('a half-open connection is found within the idle limit', async () => {
    await using proxy = await CuttableProxy.to(server.port);
    const { informer, told, metric } = informerOf({ namespace: 'default', idleLimit: 2000 }, clientAt(proxy.port));
    await informer.whenSynced();
    proxy.freeze();
    await client.resource(configMaps).create(map('unheard'));
    await vi.waitFor(() => expect(told).toContain('+unheard'), soon);
    expect(metric('reflector_problems_total.*idle')).toBeGreaterThanOrEqual(1);
  });

  test('twenty thousand objects arrive as a stream and page by page', async () => {
    const count = 20_000;
    const maps = client.resource(configMaps);
    const names = Array.from({ length: count }, (_, index) => `many-${index}`);
    const workers = Array.from({ length: 16 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        await maps.create({
          ...map(name, { text: 'x'.repeat(500) }),
          metadata: { ...map(name).metadata, labels: { many: 'yes' } },
        });
      }
    });
    await Promise.all(workers);
    for (const streaming of [true, false]) {
      const { informer, told } = informerOf({ namespace: 'default', labelSelector: 'many=yes', streaming });
      await informer.whenSynced();
      expect(informer.lister.size).toBe(count);
      expect(told).toHaveLength(count);
    }
    // A single request for all of them would take longer than the server's limit.
    for await (const page of maps.pages({ namespace: 'default', labelSelector: 'many=yes', limit: 500 })) {
      await Promise.all(page.items.map((item) => maps.delete(keyOf(item))));
    }
  }, 300_000);
});

describe('controllers on a real API server', () => {
  test('start before their CRD exists, report it, recover by themselves, and write exactly once per change', async () => {
    const lines: LogRecord[] = [];
    const log = createLogger({ clock: systemClock, write: (line) => lines.push(line) });
    const manager = createManager({ client, log, freeze: true });
    const cached = manager.informer(widgets.resource);
    const owned = manager.informer(configMaps, { namespace: 'default' });
    const writes: string[] = [];
    buildController(manager, { name: 'widgets', concurrency: 4 })
      .forKind(widgets.resource)
      .owns(configMaps, { namespace: 'default' })
      .complete(async (request, context) => {
        const widget = cached.lister.get(request);
        if (!widget) return done();
        if (!owned.lister.get(request)) {
          writes.push(`create ${request.name}`);
          await context.client
            .resource(configMaps)
            .create(setControllerReference(map(request.name), widget, widgets.resource));
        }
        if (widget.status?.observed !== widget.spec.size) {
          writes.push(`status ${request.name} ${widget.spec.size}`);
          const status = {
            apiVersion: 'example.com/v1',
            kind: 'Widget',
            metadata: request,
            status: { observed: widget.spec.size },
          };
          await context.client.resource(widgets.resource).status.apply(request, status, { fieldManager: 'test' });
        }
        return done();
      });
    run(manager);
    await vi.waitFor(() => expect(cached.status.problem?.kind).toBe('missing'), soon);
    expect(lines.some(({ fields }) => fields['problem'] === 'missing')).toBe(true);
    await client.resource(customResourceDefinitions).create(crdOf(widgets));
    await vi.waitFor(() => expect(cached.status.phase).toBe('live'), soon);
    const widget = (name: string, size: number) =>
      ({
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { namespace: 'default', name },
        spec: { size },
      }) as const;
    for (let index = 0; index < 20; index++)
      await client.resource(widgets.resource).create(widget(`w-${index}`, index));
    await vi.waitFor(async () => {
      const { items } = await client.resource(widgets.resource).list({ namespace: 'default' });
      expect(items.filter(({ spec, status }) => status?.observed === spec.size)).toHaveLength(20);
    }, soon);
    expect(writes.toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => [`create w-${index}`, `status w-${index} ${index}`])
        .flat()
        .toSorted(),
    );
  });

  test('of two managers one leads; the other follows when it goes, without waiting for the end of the lease', async () => {
    const election = (identity: string) => ({ leaseName: 'conformance', leaseNamespace: 'default', identity });
    const [one, two] = ['one', 'two'].map((identity) => createManager({ client, leaderElection: election(identity) }));
    const stopOne = run(one as Manager);
    await vi.waitFor(() => expect(one?.leading).toBe(true), soon);
    run(two as Manager);
    const lease = await client.resource(leases).get({ namespace: 'default', name: 'conformance' });
    expect(lease.spec).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 15 });
    expect(lease.spec?.renewTime).toMatch(/\.\d{6}Z$/);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(two?.leading).toBe(false);
    stopOne.abort();
    await vi.waitFor(() => expect(two?.leading).toBe(true), { timeout: 8000, interval: 20 });
  });
});

describe('webhooks of a real API server', () => {
  test('are asked, refuse with words, change objects, and show warnings', async () => {
    const certificate = await selfSignedCertificate('webhook');
    const webhooks = new WebhookServer({ host: '127.0.0.1', port: 0, certificate: async () => certificate });
    webhooks.validate<ConfigMap>('/validate', ({ object: asked }) =>
      asked?.data?.['bad'] === 'yes' ? deny('bad is not allowed') : allow({ warnings: ['looked at'] }),
    );
    webhooks.mutate<ConfigMap>('/mutate', ({ object: asked }) =>
      asked ? change({ ...asked, metadata: { ...asked.metadata, annotations: { 'from/webhook': '~yes' } } }) : allow(),
    );
    const stop = new AbortController();
    const ended = webhooks.run(stop.signal);
    endings.push(async () => {
      stop.abort();
      await ended;
    });
    await vi.waitFor(() => expect(webhooks.ready()).toBeUndefined(), soon);
    const hook = (path: string) => ({
      name: `${path}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None' as const,
      clientConfig: {
        url: `https://127.0.0.1:${webhooks.address?.port}/${path}`,
        caBundle: Buffer.from(certificate.cert).toString('base64'),
      },
      objectSelector: { matchLabels: { hooked: 'yes' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE' as const] }],
    });
    const validating = { metadata: { name: 'test' }, webhooks: [hook('validate')] };
    const mutating = { metadata: { name: 'test' }, webhooks: [hook('mutate')] };
    await client.resource(validatingWebhookConfigurations).create(validating);
    await client.resource(mutatingWebhookConfigurations).create(mutating);
    const hooked = (name: string, data: Record<string, string>): ConfigMap => ({
      ...map(name, data),
      metadata: { ...map(name).metadata, labels: { hooked: 'yes' } },
    });
    const maps = client.resource(configMaps);
    // The server applies new configurations with a short delay.
    await vi.waitFor(async () => {
      const error = await maps
        .create(hooked('refused', { bad: 'yes' }), { dryRun: true })
        .catch((reason: unknown) => reason);
      expect(isKubeError(error) && `${error.code}: ${error.message}`).toContain('bad is not allowed');
    }, soon);
    await vi.waitFor(async () => {
      const made = await maps.create(hooked('changed', { mine: '1' }), { dryRun: true });
      expect([made.data, made.metadata?.annotations]).toEqual([{ mine: '1' }, { 'from/webhook': '~yes' }]);
    }, soon);
    await client.resource(validatingWebhookConfigurations).delete(keyOf(validating));
    await client.resource(mutatingWebhookConfigurations).delete(keyOf(mutating));
  });
});
