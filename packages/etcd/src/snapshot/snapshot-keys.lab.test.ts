// SPDX-License-Identifier: Apache-2.0
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemberClient } from '../client/member-client.ts';
import { prefixEnd } from '../client/services/kv.ts';
import { EtcdLab } from '../testing/etcd-process.ts';
import { memorySpill } from '../testing/memory-spill.ts';
import { startRestored, wholeSnapshot } from '../testing/offline-replay.ts';
import { writeRandomHistory } from '../testing/random-history.ts';
import { type ListedKey, SnapshotKeys } from './snapshot-keys.ts';

let lab: EtcdLab;
beforeAll(async () => {
  lab = await EtcdLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());

const patiently = { timeoutMs: 60_000 };

async function snapshotOf(member: MemberClient): Promise<SnapshotKeys> {
  const pieces: Uint8Array[] = [];
  for await (const piece of member.maintenance.snapshot()) pieces.push(Buffer.from(piece));
  const file = Buffer.concat(pieces);
  const readAt = async (offset: number, length: number) => file.subarray(offset, offset + length);
  return SnapshotKeys.open({ readAt, bytes: file.byteLength });
}

const words = async ({ key, value, ...found }: ListedKey) => ({
  ...found,
  key: Buffer.from(key).toString('hex'),
  value: Buffer.from(await value()).toString('hex'),
});

async function browsed(snapshot: SnapshotKeys, prefix: Uint8Array, revision: bigint, keys: number) {
  const found: Promise<object>[] = [];
  const limits = { keys, bytes: 1_000_000 };
  for await (const one of snapshot.at({ prefix, revision, limits }, memorySpill())) found.push(words(one));
  return Promise.all(found);
}

async function ranged(member: MemberClient, prefix: Uint8Array, revision: bigint) {
  const key = prefix.byteLength === 0 ? Uint8Array.of(0) : prefix;
  const { kvs } = await member.kv.range({ key, rangeEnd: prefixEnd(prefix), revision }, patiently);
  return Promise.all(kvs.map((kv) => words({ ...kv, valueBytes: kv.value.byteLength, value: async () => kv.value })));
}

const prefixes = [Buffer.alloc(0), Buffer.from('a'), Buffer.from([0xff])];

/** Compares every nth revision, the first and the last. */
async function expectEqual(snapshot: SnapshotKeys, member: MemberClient, step: bigint): Promise<void> {
  const first = snapshot.compactedAt || 1n;
  const revisions = [snapshot.revision];
  for (let revision = first; revision < snapshot.revision; revision += step) revisions.push(revision);
  for (const [revision, prefix] of revisions.flatMap((one) => prefixes.map((prefix) => [one, prefix] as const))) {
    const wanted = await ranged(member, prefix, revision);
    // All in memory, and in runs of a few keys each.
    expect(await browsed(snapshot, prefix, revision, 1_000)).toEqual(wanted);
    expect(await browsed(snapshot, prefix, revision, 5)).toEqual(wanted);
  }
  for (const revision of [first - 1n, snapshot.revision + 1n])
    await expect(browsed(snapshot, Buffer.alloc(0), revision, 5)).rejects.toMatchObject({ code: 'NoSuchRevision' });
}

describe.each(['3.5', '3.6', '3.7'])('the keys of a snapshot of etcd %s', (version) => {
  test('at every revision that it has are those that the member gives at that revision', async () => {
    const random = seededRandom(Number(version.slice(2)));
    const process = await (await lab.member()).start({ version });
    const member = process.client();
    await writeRandomHistory(member, random, 150);
    const whole = await snapshotOf(member);
    expect(whole.compactedAt).toBe(0n);
    await expectEqual(whole, member, 9n);

    await member.kv.compact({ revision: whole.revision - 20n, physical: true }, patiently);
    await writeRandomHistory(member, random, 80);
    const compacted = await snapshotOf(member);
    expect(compacted.compactedAt).toBe(whole.revision - 20n);
    await expectEqual(compacted, member, 5n);

    // A restore raises the revision, and marks everything before as compacted.
    const restored = (await startRestored(lab, await wholeSnapshot(member), version, 1_000_000)).client();
    await expectEqual(await snapshotOf(restored), restored, 9n);
    await writeRandomHistory(restored, random, 20);
    await expectEqual(await snapshotOf(restored), restored, 5n);
    await process.stop();
  });
});
