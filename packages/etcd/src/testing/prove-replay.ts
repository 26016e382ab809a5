// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from 'node:util';
import { type Random, systemClock } from '@operator-parts/ports';
import type { MemberClient } from '../client/member-client.ts';
import { prefixEnd, toBytes } from '../client/services/kv.ts';
import { summarizeKeys } from '../snapshot/key-summary.ts';
import type { EtcdLab } from './etcd-process.ts';
import { changesOf, extended, leasesOf, startRestored, wholeSnapshot } from './offline-replay.ts';
import { writeRandomHistory } from './random-history.ts';

const patiently = { timeoutMs: 60_000 };
const everything = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };

export interface ReplayCase {
  readonly version: string;
  readonly random: Random;
  /** Operations before and after the snapshot. */
  readonly before: number;
  readonly after: number;
}

/**
 * Takes a snapshot in the middle of a random history, in which a lease from before and one from after it expire. Appends
 * the later changes up to a random revision without an etcd, restores the result with etcd's own tool, and compares: the
 * hash of the first member at that revision, every key with its revisions, version and lease, the leases, older
 * revisions, and the hash after both are compacted at a revision after the snapshot. Then the member must continue to
 * work. Throws on any difference.
 */
export async function proveReplay(lab: EtcdLab, { version, random, before, after }: ReplayCase): Promise<void> {
  const process = await (await lab.member()).start({ version });
  const member = process.client();
  await writeRandomHistory(member, random, before);
  await putBriefly(member, 'brief/before');
  const middle = (await member.maintenance.status()).revision;
  const compacted = middle - BigInt(Math.floor(random.next() * Number(middle)));
  if (random.next() < 0.7 && compacted > 1n)
    await member.kv.compact({ revision: compacted, physical: true }, patiently);
  const snapshot = await wholeSnapshot(member);
  await putBriefly(member, 'brief/after');
  const granted = (await member.lease.grant(3600, patiently)).id;
  await member.kv.put({ key: toBytes('leased'), value: toBytes('x'), lease: granted }, patiently);
  await writeRandomHistory(member, random, after);
  await untilExpired(member, 'brief/');
  await writeRandomHistory(member, random, 5);
  const last = (await member.maintenance.status()).revision;
  const goal = middle + 1n + BigInt(Math.floor(random.next() * Number(last - middle)));

  const changes = await changesOf(member, middle + 1n, goal);
  const file = await extended(snapshot, changes, await leasesOf(member, changes));
  const other = await startRestored(lab, file, version);
  const restored = other.client();
  same('the hash', await hashAt(restored, goal), await hashAt(member, goal));
  const step = (goal - compacted) / 5n + 1n;
  for (let revision = goal; revision > compacted; revision -= step)
    same(`revision ${revision}`, await keysAt(restored, revision), await keysAt(member, revision));
  await sameLeases(restored, member, goal);
  const later = middle + 1n + BigInt(Math.floor(random.next() * Number(goal - middle)));
  for (const one of [member, restored]) await one.kv.compact({ revision: later, physical: true }, patiently);
  same('the hash after a compaction', await hashAt(restored, goal), await hashAt(member, goal));
  await goesOn(restored, random);
  await other.stop();
  const again = (await other.start()).client();
  await goesOn(again, random);
  await Promise.all([process.stop(), other.stop()]);
}

/** Puts a key whose lease expires as soon as etcd allows. */
async function putBriefly(member: MemberClient, key: string): Promise<void> {
  const { id } = await member.lease.grant(1, patiently);
  await member.kv.put({ key: toBytes(key), value: toBytes('x'), lease: id }, patiently);
}

/** Waits until etcd has deleted all keys with a prefix, because their leases have expired. */
async function untilExpired({ kv }: MemberClient, prefix: string): Promise<void> {
  const keys = { key: toBytes(prefix), rangeEnd: prefixEnd(toBytes(prefix)), countOnly: true };
  while ((await kv.range(keys, patiently)).count > 0n) await systemClock.sleep(100);
}

async function hashAt({ maintenance }: MemberClient, revision: bigint) {
  const { hash, compactRevision } = await maintenance.hashKv(revision, patiently);
  return { hash, compactRevision };
}

async function keysAt({ kv }: MemberClient, revision: bigint) {
  const { kvs } = await kv.range({ ...everything, revision }, patiently);
  return kvs.map(({ key, value, ...more }) => ({
    ...more,
    key: Buffer.from(key).toString('hex'),
    value: Buffer.from(value).toString('hex'),
  }));
}

/** A lease that was revoked meanwhile cannot be queried any more. */
async function sameLeases(restored: MemberClient, member: MemberClient, revision: bigint): Promise<void> {
  const keys = await keysAt(member, revision);
  for (const lease of new Set(keys.map((key) => key.lease).filter((id) => id !== 0n))) {
    const { grantedTtl, ttl } = await member.lease.timeToLive(lease, patiently);
    if (ttl < 0n) continue;
    const found = await restored.lease.timeToLive(lease, { keys: true, ...patiently });
    same(`the time of lease ${lease}`, found.grantedTtl, grantedTtl);
    const attached = keys.filter((key) => key.lease === lease).map(({ key }) => key);
    same(`the keys of lease ${lease}`, found.keys.map((key) => Buffer.from(key).toString('hex')).toSorted(), attached);
  }
}

/** Writes, compacts, defragments, and checks its database with an independent reader. */
async function goesOn(member: MemberClient, random: Random): Promise<void> {
  await writeRandomHistory(member, random, 20);
  const { revision } = await member.maintenance.status();
  await member.kv.compact({ revision: revision - 5n, physical: true }, patiently);
  await member.maintenance.defragment(patiently);
  await writeRandomHistory(member, random, 20);
  const file = await wholeSnapshot(member);
  const readAt = async (offset: number, length: number) => file.subarray(offset, offset + length);
  const { hash } = await summarizeKeys({ readAt, bytes: file.byteLength });
  same('the hash afterwards', hash, (await member.maintenance.hashKv(0n, patiently)).hash);
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what} differs: ${words(actual)} instead of ${words(expected)}`);
}

function words(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)).slice(0, 2_000);
}
