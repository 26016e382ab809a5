// SPDX-License-Identifier: Apache-2.0
import type { Cluster } from '@etcd-operator/tools/cluster';
import { type EtcdPart, etcdImage, operatorImage } from '@etcd-operator/tools/image';

/** Builds the operator as it is now and hands it to the cluster, with etcd in these versions. */
export async function importOperatorImages(cluster: Cluster, etcd: readonly EtcdPart[] = ['etcd@3.6']): Promise<void> {
  await cluster.importImage(await operatorImage());
  for (const part of etcd) await cluster.importImage(await etcdImage(part));
}
