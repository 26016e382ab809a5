// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import { type Access, findCluster } from './access.ts';
import { CliError } from './cli-error.ts';

/** One cluster, all in the namespace, or all in all namespaces, ordered by namespace and name. */
export async function findClusters(
  access: Access,
  { cluster, allNamespaces }: { readonly cluster?: string | undefined; readonly allNamespaces: boolean },
): Promise<readonly EtcdCluster[]> {
  if (cluster !== undefined) return [await findCluster(access, cluster)];
  const { client, namespace, signal } = access;
  const list = client.resource(etcdClusters.resource).list({ ...(!allNamespaces && { namespace }), signal });
  const { items } = await list.catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
    throw new CliError(
      'NotFound',
      'this Kubernetes cluster has no EtcdCluster resources: install the etcd-operator first',
      {
        cause: error,
      },
    );
  });
  const key = ({ metadata }: EtcdCluster) => `${metadata?.namespace}/${metadata?.name}`;
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
