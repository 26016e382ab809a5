// SPDX-License-Identifier: Apache-2.0
import { type Client, type ConfigMap, configMaps, isKubeError, leases } from '@operator-parts/kube';
import { seededRandom, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Informer } from './index.ts';
import { BesiegedWebhook } from './testing/besieged-webhook.ts';
import { ChurningProcess, churnLease } from './testing/churning-process.ts';
import { CuttableProxy } from './testing/cuttable-proxy.ts';
import { RealServer } from './testing/real-server.ts';
import { stopLeader } from './testing/stopped-leader.ts';

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

/** One random change of one of a few objects. A change that the state does not allow does nothing. */
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

/** An object takes longer than the idle limit, although bytes keep arriving. */
async function readLargeObjectSlowly(): Promise<void> {
  const key = { namespace: 'default', name: 'large' };
  await client.resource(configMaps).create({ metadata: key, data: { text: 'x'.repeat(900_000) } });
  await using proxy = await CuttableProxy.to(server.port);
  proxy.pause = 700;
  const slow = server.client(proxy.port);
  const [clock, random, log, idleLimit] = [systemClock, systemRandom, silentLogger, 5000];
  const where = { namespace: 'default', fieldSelector: 'metadata.name=large' };
  const reader = slow.client.resource(configMaps);
  const informer = new Informer({ resource: configMaps, reader, clock, random, log, idleLimit, ...where });
  const stop = new AbortController();
  const ended = informer.run(stop.signal);
  const begun = clock.monotonic();
  await vi.waitFor(() => expect(informer.lister.get('default/large')).toBeDefined(), {
    timeout: 90_000,
    interval: 100,
  });
  expect(clock.monotonic() - begun).toBeGreaterThan(idleLimit);
  stop.abort();
  await ended;
  await slow.close();
  await client.resource(configMaps).delete(key);
}

test('whatever happens to server, storage, network, lease and webhook, cache, index and handlers end up with what the server has', async () => {
  await using proxy = await CuttableProxy.to(server.port);
  await using webhook = await BesiegedWebhook.start(client, 'churn');
  const through = server.client(proxy.port);
  const stop = new AbortController();
  /** A process that loses its lease ends, and another is started. */
  const processes: ChurningProcess[] = [];
  const start = async () => {
    const made = new ChurningProcess(through.client, selection, `churn-${processes.length}`, stop.signal);
    processes.push(made);
    await made.cached.whenSynced();
    return made;
  };
  let current = await start();
  /** If the server is down for long, the lease is lost too. */
  const revive = async () => {
    if (current.hasEnded) current = await start();
  };
  const lead = () => vi.waitFor(() => expect(current.manager.leading).toBe(true), { timeout: 60_000, interval: 100 });
  const loseLease = async () => {
    await lead();
    const patch = { spec: { holderIdentity: 'thief', leaseDurationSeconds: 1 } };
    await client.resource(leases).patch(churnLease, { type: 'merge', patch });
    await expect(current.ended).rejects.toMatchObject({ name: 'LeadershipLost' });
    await revive();
    await lead();
  };
  const deleteLease = async () => {
    await lead();
    const { metadata } = await client.resource(leases).delete(churnLease);
    await vi.waitFor(
      async () => {
        const made = await client.resource(leases).get(churnLease);
        expect(made.metadata?.uid).not.toBe(metadata?.uid);
      },
      { timeout: 60_000, interval: 100 },
    );
    await lead();
    expect(current.hasEnded).toBe(false);
  };

  const agree = (moment: string) =>
    vi.waitFor(
      async () => {
        const { cached, heard } = current;
        const { items } = await client.resource(configMaps).list(selection);
        expect([moment, ...summary(cached.lister.list())]).toEqual([moment, ...summary(items)]);
        const indexed = ['0', '1', '2', '3', '4', 'none'].flatMap((size) => cached.lister.byIndex('size', size));
        expect([moment, ...summary(indexed)]).toEqual([moment, ...summary(items)]);
        const names = items.map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).toSorted();
        expect([moment, ...[...heard].map((entry) => entry.join(' ')).toSorted()]).toEqual([moment, ...names]);
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
    ['ten thousand failures at once', () => current.fail(0)],
    ['bodies that never end', () => webhook.besiege(70, () => change(60))],
    ['two hundred changes at once', async () => void (await Promise.all(Array.from({ length: 200 }, changeSomething)))],
    ['a large object on a slow link', readLargeObjectSlowly],
    ['a lease that somebody else takes', loseLease],
    ['a lease that is deleted', deleteLease],
    ['a leader that is stopped', async () => expect(await stopLeader(server, client)).toEqual([])],
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
    ['a lease that somebody else takes after it', loseLease],
    ['another backup', backUp],
    ['more changes than the restore will see', () => change(200)],
    ['a restore by which versions go back', () => server.restore(backup)],
    ['ten thousand failures after it', () => current.fail(1)],
    ['a cut after it', () => proxy.cut()],
  ];
  for (const [name, disturb] of disturbances) {
    await change(60);
    await disturb();
    await vi.waitFor(() => change(30), { timeout: 60_000, interval: 500 });
    await revive();
    await agree(name);
  }
  // Each restore was noticed by a process that had seen the data before it.
  const worlds = processes.map(({ manager }) => manager.serverData.generation);
  expect(worlds.reduce((sum, generation) => sum + generation, 0)).toBeGreaterThanOrEqual(2);
  expect(processes.flatMap(({ late }) => late)).toEqual([]);
  expect(webhook.reviews).toBeGreaterThan(500);
  stop.abort();
  await current.ended.catch(() => undefined);
  await through.close();
}, 900_000);
