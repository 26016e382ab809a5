// SPDX-License-Identifier: Apache-2.0
import { parseQuantity, wholeValue } from '@etcd-operator/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { ClusterLimits } from '../observation.ts';

/** What etcd allows its database if it is not told otherwise. */
const defaultQuota = 2 * 1024 ** 3;

/** Reads the limits from a spec. */
export function limitsOf({ pod, auth }: EtcdClusterSpec): ClusterLimits {
  const quotaText = pod?.etcdEnv?.find(({ name }) => name === 'ETCD_QUOTA_BACKEND_BYTES')?.value ?? '';
  const quota = /^\d{1,15}$/.test(quotaText) ? Number(quotaText) : 0;
  return {
    volumeBytes: bytesOf(pod?.persistentVolumeClaimSpec?.resources?.requests?.['storage']),
    quotaBytes: quota > 0 ? quota : defaultQuota,
    hasLogin: Boolean(auth?.secret),
  };
}

function bytesOf(quantity: string | number | undefined): number | undefined {
  if (quantity === undefined) return undefined;
  try {
    return Number(wholeValue(parseQuantity(quantity)));
  } catch {
    return undefined;
  }
}
