// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  ignoreNotFound,
  type Node,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type PodDisruptionBudget,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Service,
  services,
} from '@etcd-operator/kube';
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import { readCluster } from '../../api/etcd-cluster-reading.ts';
import { clientServiceName, clusterSelector, labels, peerServiceName } from '../../api/names.ts';
import { isOwnedBy } from '../objects/owner.ts';

/** The Kubernetes objects around one cluster, as they were read. */
export interface ClusterObjects {
  /** As it can be read by its type; see `readCluster`. */
  readonly cluster: EtcdCluster;
  readonly pods: readonly Pod[];
  readonly imageChecks: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
  readonly peerService: Service | undefined;
  readonly clientService: Service | undefined;
  readonly budget: PodDisruptionBudget | undefined;
  /** By name; only nodes that hold a pod or held one last, and none of which nothing is known, as where the operator may not read nodes. */
  readonly nodes: ReadonlyMap<string, Node | 'absent'>;
}

/** What the cluster controller's caches answer. Lists are by the cluster that the labels name. */
export interface ClusterCaches {
  pods(cluster: ObjectKey): readonly Pod[];
  imageChecks(cluster: ObjectKey): readonly Pod[];
  volumes(cluster: ObjectKey): readonly PersistentVolumeClaim[];
  service(key: ObjectKey): Service | undefined;
  budget(key: ObjectKey): PodDisruptionBudget | undefined;
  /** Undefined where the operator may not read nodes, too. */
  node(name: string): Node | undefined;
  /** True only where the operator may read nodes and there has been none of this name for a while. */
  isNodeAbsent(name: string): boolean;
}

/** From the caches: what an ordinary reconciliation uses. */
export function fromCaches(cluster: EtcdCluster, caches: ClusterCaches): ClusterObjects {
  const { name = '', namespace = '', uid = '' } = cluster.metadata ?? {};
  const found = caches.pods({ namespace, name });
  const last = cluster.status?.memberDetails ?? [];
  const named = [...found.map((pod) => pod.spec?.nodeName), ...last.map(({ node }) => node)];
  const hosts = [...new Set(named.map((host) => host ?? ''))].filter((host) => host !== '');
  const known = hosts.flatMap((host) => {
    const node = caches.node(host) ?? (caches.isNodeAbsent(host) ? 'absent' : undefined);
    return node ? [[host, node] as const] : [];
  });
  return {
    cluster: readCluster(cluster).cluster,
    pods: found,
    // The label alone can be anybody's, and finished image checks are deleted. Members carry the label of their cluster; checks do not.
    imageChecks: caches
      .imageChecks({ namespace, name })
      .filter((pod) => isOwnedBy(pod, uid) && pod.metadata?.labels?.[labels.cluster] === undefined),
    volumes: caches.volumes({ namespace, name }),
    peerService: caches.service({ namespace, name: peerServiceName(name) }),
    clientService: caches.service({ namespace, name: clientServiceName(name) }),
    budget: caches.budget({ namespace, name }),
    nodes: new Map(known),
  };
}

/**
 * Straight from the API server, most recent state: required before a cluster is bootstrapped and before anything is destroyed,
 * because a cache may lag behind what another operator, or this one before a restart, has done. Nodes and image checks are as
 * `beside` has them.
 */
export async function fromServer(
  client: Client,
  cluster: EtcdCluster,
  signal: AbortSignal,
  beside: Pick<ClusterObjects, 'nodes' | 'imageChecks'> = { nodes: new Map(), imageChecks: [] },
): Promise<ClusterObjects | undefined> {
  const { name = '', namespace = '', uid } = cluster.metadata ?? {};
  const select = { namespace, labelSelector: clusterSelector(name), signal };
  const [current, podList, volumeList, peer, access, budget] = await Promise.all([
    ignoreNotFound(client.resource(etcdClusters.resource).get({ namespace, name }, { signal })),
    client.resource(pods).list(select),
    client.resource(persistentVolumeClaims).list(select),
    ignoreNotFound(client.resource(services).get({ namespace, name: peerServiceName(name) }, { signal })),
    ignoreNotFound(client.resource(services).get({ namespace, name: clientServiceName(name) }, { signal })),
    ignoreNotFound(client.resource(podDisruptionBudgets).get({ namespace, name }, { signal })),
  ]);
  if (current?.metadata?.uid !== uid || !current) return undefined;
  return {
    cluster: readCluster(current).cluster,
    pods: podList.items,
    imageChecks: beside.imageChecks,
    volumes: volumeList.items,
    peerService: peer,
    clientService: access,
    budget,
    nodes: beside.nodes,
  };
}
