// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import { readRestoreMarker } from '../../api/restore-marker.ts';
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';
import type { IdentityRecord } from '../../cluster/observation.ts';
import { clusterFacts } from '../../cluster/observe/cluster-facts.ts';
import { firstIncarnation } from '../../cluster/plan/identity/identify.ts';
import type { TargetFacts } from '../observation.ts';
import { limitsOf } from '../plan/cluster-limits.ts';

/** What the planner needs to know about the EtcdCluster that is restored. */
export function targetFacts(
  cluster: EtcdCluster,
  secretProblems: readonly string[],
  markIsOrphaned: boolean,
  grants: PodGrants,
): TargetFacts {
  const { metadata = {}, spec, status } = cluster;
  const facts = clusterFacts(cluster, false, grants);
  const { uid, deleting, desired, refusals = [], recordedInAnnotation, recordedInStatus } = facts;
  const { incarnation, clusterId } = newest(recordedInAnnotation, recordedInStatus);
  const notes = metadata.annotations ?? {};
  const used = Number(notes[annotations.usedIncarnation]);
  return {
    uid,
    deleting,
    // What the administrator does not allow for pods of the cluster is not allowed for the pod of the first member either.
    desired: refusals.length > 0 ? { problems: refusals } : desired,
    limits: limitsOf(spec),
    secretProblems,
    marker: readRestoreMarker(notes),
    markIsOrphaned,
    incarnation,
    clusterId,
    revision: Math.max(0, ...(status?.memberDetails ?? []).map((member) => member.revision ?? 0)),
    bootstrapVersion: notes[annotations.bootstrapVersion] ?? '',
    usedIncarnation: Number.isSafeInteger(used) && used > 0 ? used : 0,
    restoredBy: notes[annotations.restoredBy] ?? '',
    acknowledged: status?.restore?.uid ?? '',
    isAvailable: isAvailable(cluster, incarnation),
    waitingFor: [...(status?.plan?.next ?? []), ...(status?.plan?.waitingFor ?? [])].join('; ').slice(0, 900),
  };
}

/**
 * The valid one of two records on the EtcdCluster: that of the later incarnation. If both are of the same incarnation, the annotation
 * counts, unless it has no cluster ID.
 */
function newest(annotation: IdentityRecord | undefined, status: IdentityRecord | undefined): IdentityRecord {
  const none = { incarnation: firstIncarnation, clusterId: '' };
  if (!annotation || !status) return annotation ?? status ?? none;
  if (annotation.incarnation === status.incarnation) return annotation.clusterId === '' ? status : annotation;
  return annotation.incarnation > status.incarnation ? annotation : status;
}

/** True if the etcd-operator reports this incarnation and this spec as available at full size. */
function isAvailable({ metadata, spec, status }: EtcdCluster, incarnation: number): boolean {
  return (
    status?.incarnation === incarnation &&
    status.observedGeneration === metadata?.generation &&
    status.readySize === spec.size &&
    status.size === spec.size &&
    (status.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True') ?? false)
  );
}
