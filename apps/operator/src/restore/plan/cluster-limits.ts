// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { bytesOf } from '../../spec-values.ts';
import type { ClusterLimits } from '../observation.ts';

/** etcd's default for --quota-backend-bytes. */
const defaultQuota = 2 * 1024 ** 3;

/** Reads the limits from a spec. */
export function limitsOf({ pod, auth }: EtcdClusterSpec): ClusterLimits {
  const quotaText = pod?.etcdEnv?.find(({ name }) => name === 'ETCD_QUOTA_BACKEND_BYTES')?.value ?? '';
  const volume = bytesOf(pod?.persistentVolumeClaimSpec?.resources?.requests?.['storage']);
  return {
    volumeBytes: volume === undefined ? undefined : Number(volume),
    quotaBytes: quotaOf(quotaText),
    hasLogin: Boolean(auth?.secret),
  };
}

/** Like etcd: no quota for a number below zero, and the default for zero and for text that is no number. */
function quotaOf(text: string): number {
  const quota = /^-?\d{1,15}$/.test(text) ? Number(text) : 0;
  if (quota < 0) return Number.POSITIVE_INFINITY;
  return quota > 0 ? quota : defaultQuota;
}
