// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@operator-parts/kube';
import { annotations, clusterLabels, labels } from '../../api/names.ts';
import type { Desired } from '../desired.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';

/**
 * The PersistentVolumeClaim of one member, named like its pod. It records the version and TLS settings of the member: the data outlives
 * pods, and a member with another version or other TLS settings must not use it. The member's identity is added once it exists.
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
