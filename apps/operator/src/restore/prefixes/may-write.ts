// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import { readRestoreMarker } from '../../api/restore-marker.ts';

/**
 * Why keys must no longer be written, as text; undefined if they may. Reasons: the restore is gone or its spec has changed; its cluster is
 * gone or about to be replaced by another restore. Pure; called before each transaction with the objects from the caches.
 *
 * @param restore as it was when writing began
 */
export function whyNotToWrite(
  restore: EtcdRestore,
  now: { readonly restore: EtcdRestore; readonly cluster: EtcdCluster | undefined } | undefined,
): string | undefined {
  const { uid, generation, deletionTimestamp } = now?.restore.metadata ?? {};
  const isSame = uid === restore.metadata?.uid && generation === restore.metadata?.generation;
  if (!isSame || deletionTimestamp) return 'the EtcdRestore was changed or deleted';
  const { cluster } = now ?? {};
  if (!cluster || cluster.metadata?.deletionTimestamp) return 'the EtcdCluster was deleted';
  const marker = readRestoreMarker(cluster.metadata?.annotations);
  return marker && `the EtcdCluster is being restored by EtcdRestore ${marker.name}`;
}
