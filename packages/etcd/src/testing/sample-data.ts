// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { MemberClient } from '../client/member-client.ts';
import { toBytes } from '../client/services/kv.ts';

/** The speed of a busy machine must not matter. */
const patiently = { timeoutMs: 60_000 };
/** etcd allows 128 operations in a transaction. */
const atOnce = 100;
/** Every nth key has a lease. */
const leasedEvery = 20;

/**
 * Writes keys of many kinds: small ones and some of 1 MiB, leased, changed, deleted, and with compacted history. Can be
 * repeated after an interruption.
 */
export async function fillStore(member: MemberClient, count: number): Promise<void> {
  const { id: lease } = await member.lease.grant(3600, patiently);
  const { id: otherLease } = await member.lease.grant(7200, patiently);
  const put = (key: string, value: string | Uint8Array, more = {}) =>
    member.kv.put({ key: toBytes(key), value: Buffer.from(value), ...more }, patiently);
  for (let from = 0; from < count; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index);
    const success = numbers.map((number) => {
      const key = `key-${number}`;
      const leased = number % leasedEvery === leasedEvery - 1 && { lease: otherLease };
      return { put: { key: toBytes(key), value: toBytes(`value of ${key}`), ...leased } };
    });
    await member.kv.txn({ success }, patiently);
  }
  await put('leased', 'x', { lease });
  for (let left = 1 + Math.floor(count / 5000); left > 0; left--) {
    await put(`large-${left}`, Buffer.alloc(1024 * 1024, `${left}`));
  }
  await put('key-0', 'changed');
  await member.kv.deleteRange({ key: toBytes('key-1') }, patiently);
  const { header } = await put('key-2', 'after compaction');
  await member.kv.compact({ revision: header.revision - 1n, physical: true }, patiently);
}

/** The data of a member. */
export interface StoreContents {
  /** Every key with a hash of its value, its version, revisions and lease; then every lease of a key. */
  readonly keys: readonly string[];
  /** The revision at which they were read. */
  readonly revision: bigint;
}

export async function storeContents(member: MemberClient): Promise<StoreContents> {
  const everything = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };
  const { kvs, header } = await member.kv.range(everything, patiently);
  const keys = kvs.map(({ key, value, version, createRevision, modRevision, lease }) => {
    const hash = createHash('sha256').update(value).digest('hex');
    return `${Buffer.from(key).toString('base64')}=${hash} v${version} ${createRevision} ${modRevision} lease ${lease}`;
  });
  const leases = [...new Set(kvs.map(({ lease }) => lease))].filter((lease) => lease !== 0n);
  for (const lease of leases) {
    const { grantedTtl, keys: held } = await member.lease.timeToLive(lease, { keys: true, ...patiently });
    keys.push(`lease ${lease} of ${grantedTtl} s holds ${held.length}`);
  }
  return { keys, revision: header.revision };
}
