// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, OwnerReference } from '@etcd-operator/kube';
import { group } from '../../api/names.ts';

/** Which cluster an object is made for. */
export interface ClusterIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** Deleting the EtcdCluster takes everything with it that carries this. */
export function ownerOf({ name, uid }: ClusterIdentity): OwnerReference {
  return { apiVersion: `${group}/v1beta2`, kind: 'EtcdCluster', name, uid, controller: true };
}

/** True if the object belongs to exactly this cluster, by UID. */
export function isOwnedBy(object: KubeObject, uid: string): boolean {
  return object.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}
