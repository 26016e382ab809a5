// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@etcd-operator/kube';
import { annotations, clusterLabels, labels } from '../../api/names.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';

/**
 * The volume of one member, named like its pod. Carries the version that was the first to run on it; its member's identity is
 * written to it once the member has one.
 */
export function volumeClaim(
  cluster: ClusterIdentity,
  member: { readonly name: string; readonly incarnation: number; readonly version: string },
  spec: PersistentVolumeClaimSpec,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: member.name,
      namespace: cluster.namespace,
      labels: { ...clusterLabels(cluster.name), [labels.incarnation]: String(member.incarnation) },
      annotations: { [annotations.version]: member.version },
      ownerReferences: [ownerOf(cluster)],
    },
    spec,
  };
}
