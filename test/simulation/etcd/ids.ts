// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** IDs are written as etcd prints them: hexadecimal, without leading zeros. */
export type Id = string;

/**
 * The ID of a member, as etcd computes it. Founding members are hashed with the cluster token, members that are added later with the
 * second of their addition.
 */
export function memberId(
  peerUrls: readonly string[],
  salt: { readonly token: string } | { readonly addedAt: number },
): Id {
  const urls = peerUrls.toSorted().join('');
  return first8(urls + ('token' in salt ? salt.token : String(Math.floor(salt.addedAt / 1000))));
}

/** The ID of a cluster: a hash of its founding members' IDs. */
export function clusterId(firstMembers: readonly Id[]): Id {
  const sorted = firstMembers.map((id) => BigInt(`0x${id}`)).toSorted((a, b) => (a < b ? -1 : 1));
  const bytes = Buffer.alloc(8 * sorted.length);
  for (const [index, id] of sorted.entries()) bytes.writeBigUInt64BE(id, 8 * index);
  return first8(bytes);
}

function first8(data: string | Buffer): Id {
  return createHash('sha1').update(data).digest().readBigUInt64BE().toString(16);
}
