// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import type { MemberClient } from '../client/member-client.ts';
import type { RequestOp } from '../client/messages/kv-messages.ts';
import { prefixEnd } from '../client/services/kv.ts';

const patiently = { timeoutMs: 60_000 };

/**
 * Writes a history of random operations: puts, deletions of keys and of ranges, transactions of these, and leases that
 * have keys and are revoked. There are few keys, so that each is changed, deleted and recreated; some contain bytes
 * that are not text.
 */
export async function writeRandomHistory(member: MemberClient, random: Random, operations: number): Promise<void> {
  const upTo = (count: number) => Math.floor(random.next() * count);
  const prefixes = [Buffer.from('a/'), Buffer.from('b/'), Buffer.from([0xff, 0x00]), Buffer.from('ab')];
  const prefix = (): Buffer => prefixes[upTo(prefixes.length)] ?? Buffer.from('a/');
  const key = () => Buffer.concat([prefix(), Buffer.from(upTo(12).toString())]);
  const value = () => random.bytes(upTo(20) === 0 ? 9_000 : upTo(40));
  const leases: bigint[] = [];
  const put = () => {
    const lease = leases[upTo(leases.length * 3)];
    return { key: key(), value: value(), ...(lease !== undefined && { lease }) };
  };
  const txn = async () => {
    const ops = new Map<string, RequestOp>();
    for (let left = 1 + upTo(6); left > 0; left--) {
      const change = put();
      ops.set(change.key.toString('hex'), upTo(3) === 0 ? { deleteRange: { key: change.key } } : { put: change });
    }
    // etcd refuses a transaction that puts a key and deletes a range that contains the key.
    const range = prefix();
    const isPut = [...ops.values()].some((op) => startsWith(op.put?.key, range));
    const ranges: RequestOp[] =
      isPut || upTo(6) > 0 ? [] : [{ deleteRange: { key: range, rangeEnd: prefixEnd(range) } }];
    await member.kv.txn({ success: [...ops.values(), ...ranges] }, patiently);
  };
  for (let left = operations; left > 0; left--) {
    const dice = upTo(20);
    const range = prefix();
    if (dice < 10) await member.kv.put(put(), patiently);
    else if (dice < 13) await member.kv.deleteRange({ key: key() }, patiently);
    else if (dice < 14) await member.kv.deleteRange({ key: range, rangeEnd: prefixEnd(range) }, patiently);
    else if (dice < 18) await txn();
    else if (dice < 19) leases.push((await member.lease.grant(3600, patiently)).id);
    else {
      const [lease] = leases.splice(upTo(leases.length), 1);
      if (lease !== undefined) await member.lease.revoke(lease, patiently);
    }
  }
}

function startsWith(key: Uint8Array | undefined, prefix: Uint8Array): boolean {
  return key !== undefined && Buffer.from(key.subarray(0, prefix.byteLength)).equals(prefix);
}
