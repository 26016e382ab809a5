// SPDX-License-Identifier: Apache-2.0
import { type Client, type ConfigMap, configMaps } from '@operator-parts/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createManager, type Informer, type Manager } from './index.ts';
import { CuttableProxy } from './testing/cuttable-proxy.ts';
import { RealServer } from './testing/real-server.ts';

const soon = { timeout: 90_000, interval: 50 };
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { namespace: 'default', name },
  data,
});

let server: RealServer;
let network: CuttableProxy;
/** Through the network that can be disconnected, like the caches. */
let client: Client;
let direct: Client;
let manager: Manager;
let cached: Informer<ConfigMap>;
const stop = () => ending();
let ending: () => Promise<void>;

beforeEach(async () => {
  server = await RealServer.start();
  network = await CuttableProxy.to(server.port);
  const opened = server.client(network.port);
  const beside = server.client();
  client = opened.client;
  direct = beside.client;
  manager = createManager({ client });
  cached = manager.informer(configMaps, { namespace: 'default', fieldSelector: 'metadata.name!=kube-root-ca.crt' });
  const end = new AbortController();
  const ended = manager.run(end.signal);
  ending = async () => {
    end.abort();
    await ended;
    await Promise.all([opened.close(), beside.close()]);
    await network[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  await vi.waitFor(() => expect(cached.status.phase).toBe('live'), soon);
}, 600_000);
afterEach(() => stop());

const heldNow = () =>
  Object.fromEntries(cached.lister.list().map(({ metadata, data }) => [metadata?.name, data?.['edited'] ?? '']));

/** Two objects in the backup; after it one is edited, one deleted and one created. */
async function backUpAndGoOn(count = 200): Promise<string> {
  const maps = client.resource(configMaps);
  await maps.create(map('kept', { edited: '1' }));
  await maps.create(map('gone-later'));
  const file = await server.backUp();
  await maps.patch({ namespace: 'default', name: 'kept' }, { type: 'merge', patch: { data: { edited: '2' } } });
  await maps.delete({ namespace: 'default', name: 'gone-later' });
  for (let index = 0; index < count; index++) await maps.create(map(`made-later-${index}`));
  await vi.waitFor(() => expect(heldNow()).toMatchObject({ kept: '2', [`made-later-${count - 1}`]: '' }), soon);
  return file;
}

describe("the API server's etcd is restored behind a cache", { timeout: 300_000 }, () => {
  test('with --bump-revision --mark-compacted the cache ends up with what the server has', async () => {
    const file = await backUpAndGoOn();
    await server.restore(file, '--bump-revision=1000000', '--mark-compacted');
    await vi.waitFor(() => expect(heldNow()).toEqual({ kept: '1', 'gone-later': '' }), soon);
    expect(manager.readiness().ok).toBe(true);
    expect(manager.serverData.generation).toBe(1);
    await client.resource(configMaps).create(map('after'));
    await vi.waitFor(() => expect(cached.lister.get('default/after')).toBeDefined(), soon);
  });

  test('without, versions go back: the cache is in doubt, then takes what the server has', async () => {
    const file = await backUpAndGoOn();
    await server.restore(file);
    await vi.waitFor(() => expect(manager.readiness().text).toMatch(/may be wrong/), soon);
    await vi.waitFor(() => expect(heldNow()).toEqual({ kept: '1', 'gone-later': '' }), soon);
    expect(cached.status.phase).toBe('live');
    await client.resource(configMaps).create(map('after'));
    await vi.waitFor(() => expect(cached.lister.get('default/after')).toBeDefined(), soon);
  });

  test('without, and written to past what the cache had seen before it is back: it takes what the server has', async () => {
    const file = await backUpAndGoOn(10);
    network.refusing = true;
    network.cut();
    await server.restore(file);
    for (let index = 0; index < 30; index++) {
      await direct.resource(configMaps).create({ metadata: { namespace: 'kube-system', name: `busy-${index}` } });
    }
    const held = cached.resourceVersion;
    const { metadata } = await direct.resource(configMaps).list({ namespace: 'default', limit: 1 });
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(held));
    network.refusing = false;
    await vi.waitFor(() => expect(manager.serverData.generation).toBe(1), soon);
    await vi.waitFor(() => expect(heldNow()).toEqual({ kept: '1', 'gone-later': '' }), soon);
    expect(cached.status.phase).toBe('live');
  });

  test('with all data lost the cache does not go on serving what was deleted', async () => {
    await backUpAndGoOn();
    await server.restore(undefined);
    await vi.waitFor(() => expect(heldNow()).toEqual({}), soon);
    await client.resource(configMaps).create(map('after'));
    await vi.waitFor(() => expect(heldNow()).toEqual({ after: '' }), soon);
  });
});
