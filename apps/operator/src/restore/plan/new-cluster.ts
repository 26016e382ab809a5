// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { RestoreFacts, SourceFacts } from '../observation.ts';

/**
 * The spec for an EtcdCluster that no longer exists: the spec given in the EtcdRestore, else size, version and volume size from the
 * manifest. A manifest is untrusted input: nothing else is taken from it (operator rule 22). Undefined if there is neither.
 */
export function specOfNewCluster(restore: RestoreFacts, { cluster }: SourceFacts): EtcdClusterSpec | undefined {
  if (restore.clusterSpec) return restore.clusterSpec;
  if (!cluster) return undefined;
  const { size, version, storage } = cluster;
  const persistentVolumeClaimSpec = storage && {
    accessModes: ['ReadWriteOnce' as const],
    resources: { requests: { storage } },
  };
  return { size, version, ...(persistentVolumeClaimSpec && { pod: { persistentVolumeClaimSpec } }) };
}
