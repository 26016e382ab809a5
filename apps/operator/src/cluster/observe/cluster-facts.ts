// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { readCluster } from '../../api/etcd-cluster-reading.ts';
import { annotations } from '../../api/names.ts';
import { readRestoreMarker } from '../../api/restore-marker.ts';
import { desiredOf } from '../desired.ts';
import type { ClusterFacts, Latch } from '../observation.ts';

/** What the planner needs to know of the custom resource. */
export function clusterFacts(cluster: EtcdCluster, isLive: boolean): ClusterFacts {
  const { metadata = {}, spec, status } = cluster;
  const name = metadata.name ?? '';
  const { misfits } = readCluster(cluster);
  return {
    name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    desired: misfits.length > 0 ? { problems: misfits } : desiredOf(name, spec),
    paused: spec.paused ?? false,
    deleting: metadata.deletionTimestamp !== undefined,
    restore: readRestoreMarker(metadata.annotations),
    latchedInStatus: latch(status?.clusterID, status?.incarnation),
    latchedInAnnotation: latch(
      metadata.annotations?.[annotations.clusterId],
      Number(metadata.annotations?.[annotations.incarnation]),
    ),
    isLive,
    currentVersion: status?.currentVersion ?? '',
    bornVersion: metadata.annotations?.[annotations.bornVersion],
    failedUpgrade: status?.failedUpgrade,
  };
}

function latch(clusterId: string | undefined, incarnation: number | undefined): Latch | undefined {
  const number = incarnation !== undefined && Number.isSafeInteger(incarnation) ? incarnation : 0;
  if (!clusterId && number === 0) return undefined;
  return { clusterId: clusterId ?? '', incarnation: Math.max(1, number) };
}
