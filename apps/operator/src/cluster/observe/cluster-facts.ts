// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { type EtcdCluster, type EtcdClusterStatus, etcdClusters } from '../../api/etcd-cluster.ts';
import { readCluster } from '../../api/etcd-cluster-reading.ts';
import { annotations } from '../../api/names.ts';
import { readRestoreMarker } from '../../api/restore-marker.ts';
import { unknownSpecFields } from '../../api/unknown-fields.ts';
import { desiredOf } from '../desired.ts';
import { judgePods, type PodGrants } from '../grants/pod-grants.ts';
import type { ClusterFacts, IdentityRecord, LastMember } from '../observation.ts';

type MemberDetail = NonNullable<EtcdClusterStatus['memberDetails']>[number];

/**
 * What the planner needs to know about the custom resource. Without `grants` every pod is allowed.
 *
 * @param pods the pods that the cluster owns
 */
export function clusterFacts(
  cluster: EtcdCluster,
  isLive: boolean,
  grants?: PodGrants,
  pods: readonly Pod[] = [],
): ClusterFacts {
  const { metadata = {}, spec, status } = cluster;
  const name = metadata.name ?? '';
  const namespace = metadata.namespace ?? '';
  const { typeErrors } = readCluster(cluster);
  const desired = typeErrors.length > 0 ? { problems: typeErrors } : desiredOf(name, spec);
  const judgement =
    grants && !('problems' in desired)
      ? judgePods(namespace, spec, grants, { pods, conditions: status?.conditions ?? [] })
      : { refused: [], tolerated: [] };
  return {
    name,
    namespace,
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    desired,
    refusals: judgement.refused,
    tolerated: judgement.tolerated,
    unknownFields: unknownSpecFields(etcdClusters, spec),
    paused: spec.paused ?? false,
    deleting: metadata.deletionTimestamp !== undefined,
    restore: readRestoreMarker(metadata.annotations),
    recordedInStatus: recordOf(status?.clusterID, status?.incarnation),
    recordedInAnnotation: recordOf(
      metadata.annotations?.[annotations.clusterId],
      Number(metadata.annotations?.[annotations.incarnation]),
    ),
    isLive,
    currentVersion: status?.currentVersion ?? '',
    bootstrapVersion: metadata.annotations?.[annotations.bootstrapVersion],
    failedUpgrade: status?.failedUpgrade,
    lastMembers: (status?.memberDetails ?? []).map(lastMember),
  };
}

function lastMember({ name, id = '', role, node = '' }: MemberDetail): LastMember {
  return { name, id, isLearner: role === 'Learner', node };
}

function recordOf(clusterId: string | undefined, incarnation: number | undefined): IdentityRecord | undefined {
  const number = incarnation !== undefined && Number.isSafeInteger(incarnation) ? incarnation : 0;
  if (!clusterId && number === 0) return undefined;
  return { clusterId: clusterId ?? '', incarnation: Math.max(1, number) };
}
