// SPDX-License-Identifier: Apache-2.0
import { counted } from '../../counted.ts';
import type { KeyCounts } from './tally.ts';

/** Size and quota of a member's database, in bytes. */
export interface DatabaseSpace {
  readonly size: number;
  /** Infinity if there is no quota. */
  readonly quota: number;
}

/** Database pages are not full, and a value larger than a page takes whole pages. */
const margin = 1.25;

/** What a revision of a key takes besides its name and value; a deletion takes only this. */
const bytesPerKey = 512;

/**
 * Why these keys must not be written, as text; undefined if there is room for them. Replaced values stay in the database until it is
 * compacted. Once the quota is exceeded, the cluster rejects the writes of all clients.
 */
export function whyNoSpace(
  { puts, deletes, putBytes }: Pick<KeyCounts, 'puts' | 'deletes' | 'putBytes'>,
  { size, quota }: DatabaseSpace,
): string | undefined {
  const needed = Math.ceil(margin * putBytes) + bytesPerKey * (puts + deletes);
  if (puts + deletes === 0 || size + needed <= quota) return undefined;
  const what = `writing ${counted(puts + deletes, 'key')} needs up to ${needed} bytes, but the database has ${size} bytes and its quota is ${quota} bytes`;
  return `${what}. Compact and defragment the cluster, or raise ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv of the EtcdCluster`;
}
