// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import type { EtcdCluster } from '../../../api/etcd-cluster.ts';
import { desiredOf } from '../../desired.ts';
import { ClusterEtcd } from '../../etcd/cluster-etcd.ts';
import type { ActContext } from '../act-context.ts';

/** The context for steps on this cluster. No member is known or reachable. */
export function contextOf(
  client: Client,
  cluster: EtcdCluster,
  {
    clusterId = 'c1',
    fence = () => undefined,
    signal = new AbortController().signal,
  }: Partial<Pick<ActContext, 'clusterId' | 'fence' | 'signal'>> = {},
): ActContext {
  const desired = desiredOf(cluster.metadata?.name ?? '', cluster.spec);
  if ('problems' in desired) throw new Error(desired.problems.join());
  return {
    client,
    cluster,
    desired,
    etcd: new ClusterEtcd(undefined, new Map(), { fence, signal }),
    clusterId,
    incarnation: 1,
    members: [],
    seen: new Set(),
    tlsKeys: { peer: 'own', server: 'own', client: 'own' },
    signal,
    fence,
  };
}
