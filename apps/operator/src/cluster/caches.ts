// SPDX-License-Identifier: Apache-2.0
import type { Informer, Manager } from '@operator-parts/controller-runtime';
import {
  type KubeObject,
  keyString,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
} from '@operator-parts/kube';
import { labels } from '../api/names.ts';
import type { NodeCache } from './nodes/node-cache.ts';
import type { ClusterCaches } from './observe/gather.ts';

const byCluster = 'cluster';

/** Selects all objects that this operator or CoreOS etcd-operator created for clusters. */
export const memberSelector: string = `${labels.app}=etcd,${labels.cluster}`;

/** Selects member pods even without the label `app`, which isolated pods of a previous incarnation lack. */
export const podSelector: string = labels.cluster;

/** The informers of the cluster controller, indexed by cluster. */
export function clusterCaches(manager: Manager, hosts: NodeCache): ClusterCaches {
  const members = indexed(manager.informer(pods, { labelSelector: podSelector }), labels.cluster);
  const checks = indexed(manager.informer(pods, { labelSelector: labels.imageCheck }), labels.imageCheck);
  const volumes = indexed(manager.informer(persistentVolumeClaims, { labelSelector: memberSelector }), labels.cluster);
  const access = manager.informer(services, { labelSelector: memberSelector });
  const budgets = manager.informer(podDisruptionBudgets, { labelSelector: memberSelector });
  return {
    pods: (cluster) => members.lister.byIndex(byCluster, keyString(cluster)),
    imageChecks: (cluster) => checks.lister.byIndex(byCluster, keyString(cluster)),
    volumes: (cluster) => volumes.lister.byIndex(byCluster, keyString(cluster)),
    service: (key) => access.lister.get(key),
    budget: (key) => budgets.lister.get(key),
    node: (name) => hosts.get(name),
    isNodeAbsent: (name) => hosts.isAbsent(name),
  };
}

function indexed<T extends KubeObject>(informer: Informer<T>, label: string): Informer<T> {
  informer.addIndex(byCluster, ({ metadata }) => {
    const name = metadata?.labels?.[label];
    return name ? [keyString({ namespace: metadata?.namespace ?? '', name })] : [];
  });
  return informer;
}

/** The cluster that an object belongs to by its labels, used to find which cluster to reconcile after a change. */
export function clusterOf({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } | undefined {
  const name = metadata?.labels?.[labels.cluster] ?? metadata?.labels?.[labels.imageCheck];
  return name && metadata?.namespace ? { namespace: metadata.namespace, name } : undefined;
}
