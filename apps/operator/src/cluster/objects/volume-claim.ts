// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@etcd-operator/kube';
import { annotations, clusterLabels, labels } from '../../api/names.ts';
import type { Desired } from '../desired.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';

/**
 * The volume of one member, named like its pod. Carries what its member was made with: data outlives pods, and must not be
 * opened by another version or reached under another scheme. Its member's identity is written to it once there is one.
 */
export function volumeClaim(
  cluster: ClusterIdentity,
  member: { readonly name: string; readonly incarnation: number },
  desired: Pick<Desired, 'version' | 'peerTLS' | 'clientTLS'>,
  spec: PersistentVolumeClaimSpec,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: member.name,
      namespace: cluster.namespace,
      labels: { ...clusterLabels(cluster.name), [labels.incarnation]: String(member.incarnation) },
      annotations: { [annotations.version]: desired.version, [annotations.tls]: listenersWithTls(desired) },
      ownerReferences: [ownerOf(cluster)],
    },
    spec,
  };
}

function listenersWithTls({ peerTLS, clientTLS }: Pick<Desired, 'peerTLS' | 'clientTLS'>): string {
  return [...(peerTLS ? ['peer'] : []), ...(clientTLS ? ['client'] : [])].join(',');
}
