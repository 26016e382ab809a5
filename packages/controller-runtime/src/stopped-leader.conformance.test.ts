// SPDX-License-Identifier: Apache-2.0
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Client, configMaps } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RealServer } from './testing/real-server.ts';
import { sharedLease, startLeader, stopSignal, writtenAfter } from './testing/stopped-leader.ts';

const soon = { timeout: 60_000, interval: 20 };
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
  const child = startLeader(server, identity);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const lease = () => sharedLease(client);
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
      leader.kill(stopSignal);
      await vi.waitFor(async () => expect(await holder()).toBe(waiting), soon);
      const takenOver = (await lease()).metadata?.resourceVersion ?? '';
      leader.kill('SIGCONT');
      await once(leader, 'exit');
      expect(await writtenAfter(client, leading, takenOver)).toEqual([]);
      [leader, leading, waiting] = [successor, waiting, `leader-${round}`];
      await vi.waitFor(async () => expect((await writtenBy(leading)).length).toBeGreaterThan(20), soon);
    }
    // SIGTERM releases the lease: no candidate has to wait until it expires.
    leader.kill('SIGTERM');
    await once(leader, 'exit');
    expect((await lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });
});
