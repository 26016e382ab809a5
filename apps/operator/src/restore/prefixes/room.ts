// SPDX-License-Identifier: Apache-2.0
import { counted } from '../../counted.ts';
import type { KeyCounts } from './tally.ts';

/** The database of a member, in bytes. */
export interface Room {
  readonly size: number;
  /** Infinity if there is none. */
  readonly quota: number;
}

/** Pages of the database are not filled, and a value of more than a page takes whole ones. */
const margin = 1.25;

/** What a revision of a key takes beside its name and value, and a deletion takes alone. */
const bytesPerKey = 512;

/**
 * Why these keys must not be written, in words; undefined if there is room for them. What they replace stays in the database until it is compacted; once the quota is exceeded,
 * the cluster takes no more writes of any client.
 */
export function whyNoRoom(
  { puts, deletes, putBytes }: Pick<KeyCounts, 'puts' | 'deletes' | 'putBytes'>,
  { size, quota }: Room,
): string | undefined {
  const needed = Math.ceil(margin * putBytes) + bytesPerKey * (puts + deletes);
  if (puts + deletes === 0 || size + needed <= quota) return undefined;
  const what = `writing ${counted(puts + deletes, 'key')} needs up to ${needed} bytes, but the database has ${size} bytes and its quota is ${quota}`;
  return `${what}. Compact and defragment the cluster, or raise ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv of the EtcdCluster`;
}
