// SPDX-License-Identifier: Apache-2.0
import { seededRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { MemberClient } from '../../client/member-client.ts';
import type { RequestOp } from '../../client/messages/kv-messages.ts';
import type { StoredEvent } from '../../client/messages/watch-messages.ts';
import { toBytes } from '../../client/services/kv.ts';
import { EtcdLab } from '../../testing/etcd-process.ts';
import { changesOf, extended, startRestored, wholeSnapshot } from '../../testing/offline-replay.ts';
import { proveReplay } from '../../testing/prove-replay.ts';
import type { TransactionChanges } from './change-entries.ts';

const patiently = { timeoutMs: 60_000 };
const seeds = Array.from({ length: 8 }, (_, seed) => seed);

describe.each(['3.5', '3.6', '3.7'])('later changes added to a snapshot of etcd %s', (version) => {
  test.each(seeds)('give what the member was at that revision (seed %i)', async (seed) => {
    await using lab = await EtcdLab.open();
    const random = seededRandom(1000 * seed + Number(version.slice(2)));
    const [before, after] = [Math.floor(random.next() * 400), 1 + Math.floor(random.next() * 400)];
    await expect(proveReplay(lab, { version, random, before, after })).resolves.toBeUndefined();
  });
});

/** Keys that are changed several times, by concurrent transactions. */
async function writeMany({ kv }: MemberClient, transactions: number): Promise<void> {
  const atOnce = 100;
  for (let from = 0; from < transactions; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, transactions - from) }, (_, index) => from + index);
    const value = Buffer.alloc(200, `${from} `);
    await Promise.all(numbers.map((number) => kv.put({ key: toBytes(`key-${number % 5000}`), value }, patiently)));
  }
}

function requestOf({ type, kv }: StoredEvent): RequestOp {
  return type === 'put' ? { put: { key: kv.key, value: kv.value } } : { deleteRange: { key: kv.key } };
}

async function replayByClient({ kv }: MemberClient, changes: readonly TransactionChanges[]): Promise<void> {
  for (const { events } of changes) await kv.txn({ success: events.map(requestOf) }, patiently);
}

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round((1000 * count) / (performance.now() - started));
}

test('many changes are added at least twice as fast as a client replays them one after the other', async () => {
  await using lab = await EtcdLab.open();
  const original = await (await lab.member()).start();
  const member = original.client();
  await writeMany(member, 10_000);
  const snapshot = await wholeSnapshot(member);
  const { revision: from } = await member.maintenance.status();
  await writeMany(member, 30_000);
  const { revision: goal } = await member.maintenance.status();
  const changes = await changesOf(member, from + 1n, goal);
  expect(changes).toHaveLength(30_000);

  let file = Buffer.alloc(0);
  const offline = await rate(changes.length, async () => {
    file = Buffer.from(await extended(snapshot, changes));
  });
  const restored = (await startRestored(lab, file, '3.6')).client();
  const { hash } = await member.maintenance.hashKv(goal, patiently);
  expect((await restored.maintenance.hashKv(goal, patiently)).hash).toBe(hash);

  const client = (await startRestored(lab, snapshot, '3.6')).client();
  const some = changes.slice(0, 5_000);
  const sequential = await rate(some.length, () => replayByClient(client, some));
  process.stdout.write(`    offline ${offline} changes/s, by a client ${sequential} changes/s\n`);
  expect(offline).toBeGreaterThan(2 * sequential);
});
