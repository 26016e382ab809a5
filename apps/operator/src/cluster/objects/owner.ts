// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, OwnerReference } from '@operator-parts/kube';
import { group } from '../../api/names.ts';

/** The cluster for which an object is created. */
export interface ClusterIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Kubernetes deletes every object with this owner when the EtcdCluster is deleted. */
export function ownerOf({ name, uid }: ClusterIdentity): OwnerReference {
  return { apiVersion: `${group}/v1beta2`, kind: 'EtcdCluster', name, uid, controller: true };
}

/** True if the object belongs to exactly this cluster, by UID. */
export function isOwnedBy(object: KubeObject, uid: string): boolean {
  return object.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}
