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
} from '@operator-parts/kube';
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import { readCluster } from '../../api/etcd-cluster-reading.ts';
import { clientServiceName, clusterSelector, labels, peerServiceName } from '../../api/names.ts';
import { isOwnedBy } from '../objects/owner.ts';

/** The Kubernetes objects of one cluster, as they were read. */
export interface ClusterObjects {
  /** The EtcdCluster without values of a wrong type; see `readCluster`. */
  readonly cluster: EtcdCluster;
  readonly pods: readonly Pod[];
  readonly imageChecks: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
  readonly peerService: Service | undefined;
  readonly clientService: Service | undefined;
  readonly budget: PodDisruptionBudget | undefined;
  /** The nodes on which a pod runs or last ran, by name. Unknown nodes are left out, for example if nodes may not be read. */
  readonly nodes: ReadonlyMap<string, Node | 'absent'>;
}

/** Answers from the caches of the cluster controller. Objects are assigned to clusters by their labels. */
export interface ClusterCaches {
  pods(cluster: ObjectKey): readonly Pod[];
  imageChecks(cluster: ObjectKey): readonly Pod[];
  volumes(cluster: ObjectKey): readonly PersistentVolumeClaim[];
  service(key: ObjectKey): Service | undefined;
  budget(key: ObjectKey): PodDisruptionBudget | undefined;
  /** Undefined also if the operator may not read nodes. */
  node(name: string): Node | undefined;
  /** True only if the operator may read nodes and no node of this name has existed for a while. */
  isNodeAbsent(name: string): boolean;
}

/** Reads the caches, as an ordinary reconciliation does. */
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
    // The operator deletes finished image checks, and any user can set their label. So only pods that this cluster owns, and that have no
    // label of members, count as image checks.
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
 * Reads the most recent state from the API server. Required before a cluster is bootstrapped and before anything is deleted, because a
 * cache may lag behind the changes of another operator, or of this one before a restart. Nodes and image checks are not read, but taken
 * from `beside`.
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
    // The selector does not ask for the label `app`, because an isolated pod lacks this label but still exists.
    client.resource(pods).list({ ...select, labelSelector: `${labels.cluster}=${name}` }),
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
