// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { ClusterIdentity } from '../cluster/objects/owner.ts';

/** Name, namespace and UID of an object from the API server, which has all three. */
export function identityOf({ metadata = {} }: KubeObject): ClusterIdentity {
  const { name = '', namespace = '', uid = '' } = metadata;
  return { name, namespace, uid };
}
