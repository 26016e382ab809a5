// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@etcd-operator/kube';
import { clusterLabels, labels } from '../../api/names.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';

/** The volume of one member, named like its pod. Its member's identity is written to it once the member has one. */
export function volumeClaim(
  cluster: ClusterIdentity,
  member: { readonly name: string; readonly incarnation: number },
  spec: PersistentVolumeClaimSpec,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: member.name,
      namespace: cluster.namespace,
      labels: { ...clusterLabels(cluster.name), [labels.incarnation]: String(member.incarnation) },
      ownerReferences: [ownerOf(cluster)],
    },
    spec,
  };
}
