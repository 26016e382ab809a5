// SPDX-License-Identifier: Apache-2.0
import { type Client, type ConfigMap, configMaps, isKubeError } from '@etcd-operator/kube';
import { seededRandom } from '@etcd-operator/ports';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createManager } from './index.ts';
import { CuttableProxy } from './testing/cuttable-proxy.ts';
import { RealServer } from './testing/real-server.ts';

const selection = { namespace: 'default', labelSelector: 'churn=yes' };
let server: RealServer;
let client: Client;
let closeClient: () => Promise<void>;

beforeAll(async () => {
  server = await RealServer.start();
  ({ client, close: closeClient } = server.client());
}, 600_000);
afterAll(async () => {
  await closeClient();
  await server[Symbol.asyncDispose]();
});

const random = seededRandom(17);
const pick = (count: number) => Math.floor(random.next() * count);

/** One random change of one of few objects. What the state does not allow is no change. */
async function changeSomething(): Promise<void> {
  const maps = client.resource(configMaps);
  const key = { namespace: 'default', name: `churn-${pick(40)}` };
  const size = String(pick(5));
  const wanted: ConfigMap = { metadata: { ...key, labels: { churn: pick(8) ? 'yes' : 'no' } }, data: { size } };
  const change = [
    () => maps.create(wanted),
    () => maps.patch(key, { type: 'merge', patch: { metadata: wanted.metadata, data: wanted.data } }),
    () => maps.delete(key),
  ][pick(3)];
  await change?.().catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound', 'AlreadyExists', 'Conflict')) throw error;
  });
}

const summary = (items: readonly ConfigMap[]) =>
  items
    .map(({ metadata, data }) => `${metadata?.name} ${metadata?.uid} ${metadata?.resourceVersion} ${data?.['size']}`)
    .toSorted();

test('whatever happens to server, storage and network, cache and index end up with what the server has', async () => {
  await using proxy = await CuttableProxy.to(server.port);
  const through = server.client(proxy.port);
  const manager = createManager({ client: through.client, freeze: true });
  const cached = manager.informer(configMaps, selection);
  cached.addIndex('size', ({ data }) => [data?.['size'] ?? 'none']);
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  await cached.whenSynced();

  const agree = (moment: string) =>
    vi.waitFor(
      async () => {
        const { items } = await client.resource(configMaps).list(selection);
        expect([moment, ...summary(cached.lister.list())]).toEqual([moment, ...summary(items)]);
        const indexed = ['0', '1', '2', '3', '4', 'none'].flatMap((size) => cached.lister.byIndex('size', size));
        expect([moment, ...summary(indexed)]).toEqual([moment, ...summary(items)]);
        expect(`${moment}: ${cached.status.phase}`).toBe(`${moment}: live`);
      },
      { timeout: 120_000, interval: 200 },
    );
  const change = async (count: number) => {
    for (let index = 0; index < count; index++) await changeSomething();
  };
  let backup = '';
  const backUp = async () => {
    backup = await server.backUp();
  };
  const disturbances: readonly (readonly [string, () => void | Promise<void>])[] = [
    ['a cut', () => proxy.cut()],
    ['a compaction', () => server.compact()],
    ['a backup', backUp],
    [
      'a restart after a compaction, while cut off',
      async () => {
        proxy.refusing = true;
        proxy.cut();
        await change(50);
        await server.down();
        await server.compact();
        await server.up();
        proxy.refusing = false;
      },
    ],
    ['a restore with a bumped revision', () => server.restore(backup, '--bump-revision=1000000', '--mark-compacted')],
    ['another backup', backUp],
    ['more changes than the restore will see', () => change(200)],
    ['a restore by which versions go back', () => server.restore(backup)],
    ['a cut after it', () => proxy.cut()],
  ];
  for (const [name, disturb] of disturbances) {
    await change(60);
    await disturb();
    await vi.waitFor(() => change(30), { timeout: 60_000, interval: 500 });
    await agree(name);
  }
  expect(manager.world.generation).toBeGreaterThanOrEqual(2);
  stop.abort();
  await ended;
  await through.close();
}, 480_000);
