// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, configMaps, leases } from '@etcd-operator/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { versionOrder } from './reflector/resource-version.ts';
import { RealServer } from './testing/real-server.ts';

const soon = { timeout: 60_000, interval: 20 };
const program = fileURLToPath(new URL('testing/leader-child.ts', import.meta.url));
let server: RealServer;
let client: Client;
let closeClient: () => Promise<void>;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  server = await RealServer.start();
  ({ client, close: closeClient } = server.client());
}, 600_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await closeClient();
  await server[Symbol.asyncDispose]();
});

function start(identity: string): ChildProcess {
  const { caFile, token } = server.access;
  const child = spawn(process.execPath, [program, String(server.port), caFile, token, identity], { stdio: 'inherit' });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const lease = () => client.resource(leases).get({ namespace: 'default', name: 'child' });
const holder = async () => (await lease().catch(() => undefined))?.spec?.holderIdentity;
const writtenBy = async (identity: string) =>
  (await client.resource(configMaps).list({ namespace: 'default', labelSelector: `by=${identity}` })).items;

describe('a leader that is stopped for longer than its lease and goes on', { timeout: 300_000 }, () => {
  test('writes nothing after another has taken over, neither what was queued nor what waited to be repeated', async () => {
    let [leading, waiting] = ['leader-0', 'leader-1'];
    let leader = start(leading);
    await vi.waitFor(async () => expect(await holder()).toBe(leading), soon);
    await vi.waitFor(async () => expect((await writtenBy(leading)).length).toBeGreaterThan(20), soon);
    for (let round = 2; round < 8; round++) {
      const successor = start(waiting);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      leader.kill('SIGSTOP');
      await vi.waitFor(async () => expect(await holder()).toBe(waiting), soon);
      const takenOver = (await lease()).metadata?.resourceVersion ?? '';
      leader.kill('SIGCONT');
      await once(leader, 'exit');
      const late = (await writtenBy(leading)).filter(
        ({ metadata }) => (versionOrder(metadata?.resourceVersion ?? '', takenOver) ?? 1) > 0,
      );
      expect(late.map(({ metadata }) => metadata?.name)).toEqual([]);
      [leader, leading, waiting] = [successor, waiting, `leader-${round}`];
      await vi.waitFor(async () => expect((await writtenBy(leading)).length).toBeGreaterThan(20), soon);
    }
    // SIGTERM gives the lease back: nobody has to wait for its end.
    leader.kill('SIGTERM');
    await once(leader, 'exit');
    expect((await lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });
});
