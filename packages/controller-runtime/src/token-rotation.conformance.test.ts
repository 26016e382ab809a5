// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, configMaps, type ObjectKey, secrets, serviceAccounts } from '@operator-parts/kube';
import { silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Informer } from './index.ts';
import { tokenBoundTo } from './testing/bound-token.ts';
import { RealServer } from './testing/real-server.ts';

const soon = { timeout: 60_000, interval: 100 };
const account: ObjectKey = { namespace: 'default', name: 'rotating' };
let server: RealServer;
let admin: Client;
let folder: string;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await RealServer.start();
  const { client, close } = server.client();
  admin = client;
  folder = await mkdtemp(join(tmpdir(), 'token-rotation-'));
  endings.push(close, () => rm(folder, { recursive: true }));
  await admin.resource(serviceAccounts).create({ metadata: account });
}, 600_000);
afterAll(async () => {
  for (const end of endings.reverse()) await end();
  await server[Symbol.asyncDispose]();
});

/** Like the kubelet: readers see the old file or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

test('a token file that is replaced is followed after the old token is refused, by calls and by informers', async () => {
  const path = join(folder, 'token');
  const [old, next] = [await tokenBoundTo(admin, account, 'old'), await tokenBoundTo(admin, account, 'next')];
  await writeFile(path, old);
  const { client, close } = server.client(server.port, { kind: 'token-file', path });
  const stranger = server.client(server.port, { kind: 'token', token: old });
  endings.push(close, stranger.close);
  const maps = client.resource(configMaps);
  const informer = new Informer({
    resource: configMaps,
    reader: maps,
    namespace: 'default',
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  const stop = new AbortController();
  const ended = informer.run(stop.signal);
  endings.push(async () => {
    stop.abort();
    await ended;
  });
  await informer.whenSynced();
  await maps.create({ metadata: { namespace: 'default', name: 'with-old-token' } });

  await replaceFile(path, next);
  await admin.resource(secrets).delete({ namespace: 'default', name: 'old' });
  // The server caches a valid token for ten seconds.
  await vi.waitFor(async () => {
    const refused = stranger.client.resource(configMaps).list({ namespace: 'default' });
    await expect(refused).rejects.toMatchObject({ code: 'Unauthorized' });
  }, soon);
  await vi.waitFor(() => maps.create({ metadata: { namespace: 'default', name: 'with-new-token' } }), soon);

  // The informer's watch ends, as every watch does; the next request uses the new token.
  await server.down();
  await server.up();
  await admin.resource(configMaps).create({ metadata: { namespace: 'default', name: 'after-restart' } });
  await vi.waitFor(
    () => expect(informer.lister.get({ namespace: 'default', name: 'after-restart' })).toBeDefined(),
    soon,
  );
  expect(informer.status.phase).toBe('live');
}, 240_000);
