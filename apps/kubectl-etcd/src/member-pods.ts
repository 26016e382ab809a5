// SPDX-License-Identifier: Apache-2.0

import { clusterSelector } from '@etcd-operator/operator';
import { type Pod, pods } from '@operator-parts/kube';
import type { Access } from './access.ts';
import { ifAllowed } from './if-allowed.ts';

/** The pods of a cluster's members. */
export async function memberPods({ client, namespace, signal }: Access, cluster: string): Promise<readonly Pod[]> {
  const labelSelector = clusterSelector(cluster);
  const { items } = await ifAllowed(client.resource(pods).list({ namespace, labelSelector, signal }));
  return items;
}
