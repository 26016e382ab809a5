// SPDX-License-Identifier: Apache-2.0
import { buildController, type Manager } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import { nodes, persistentVolumeClaims, podDisruptionBudgets, pods, services } from '@etcd-operator/kube';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { annotations, labels } from '../api/names.ts';
import { clusterCaches, clusterOf, memberSelector, podSelector } from './caches.ts';
import { ClusterEvents, type EventSink } from './cluster-events.ts';
import { ClusterMetrics } from './cluster-metrics.ts';
import { NodeAccess } from './node-access.ts';
import { NodeCache } from './node-cache.ts';
import { ClusterReconciler } from './reconciler.ts';
import { ClusterSecrets } from './secrets/cluster-secrets.ts';

export interface ClusterControllerOptions {
  /** Looks after objects of all namespaces that are annotated `clusterwide`, instead of those without the annotation. */
  readonly clusterWide: boolean;
  /** False for an operator that has rights in one namespace only: it finds out whether it may read nodes. */
  readonly canReadNodes: boolean;
  readonly events: EventSink;
  readonly oldOperator: () => string | undefined;
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  /** How members are reached. @default over the network */
  readonly dial?: Dialer;
  /** How often a healthy cluster's etcd is looked at, in milliseconds. @default 10_000 */
  readonly healthInterval?: number;
  /** Clusters worked on at the same time. @default 16 */
  readonly concurrency?: number;
}

/** Adds the controller of EtcdClusters to a manager. */
export function addClusterController(manager: Manager, options: ClusterControllerOptions): void {
  const clusters = manager.informer(etcdClusters.resource);
  const caches = clusterCaches(manager, nodeCache(manager, options.canReadNodes));
  const reconciler = new ClusterReconciler({
    clock: manager.clock,
    caches,
    clusterOf: (request) => clusters.lister.get(request),
    isManaged: (cluster) => isManaged(cluster, options.clusterWide),
    secrets: new ClusterSecrets(manager.clock),
    events: new ClusterEvents(options.events),
    metrics: new ClusterMetrics(manager.metrics),
    oldOperator: options.oldOperator,
    readLog: options.readLog,
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  const ofCluster = (object: Parameters<typeof clusterOf>[0]) => {
    const key = clusterOf(object);
    return key ? [key] : [];
  };
  const selection = { labelSelector: memberSelector };
  buildController(manager, { name: 'etcdcluster', concurrency: options.concurrency ?? 16 })
    .forKind(etcdClusters.resource)
    .watches(pods, ofCluster, { labelSelector: podSelector })
    .watches(pods, ofCluster, { labelSelector: labels.imageCheck })
    .watches(persistentVolumeClaims, ofCluster, selection)
    .watches(services, ofCluster, selection)
    .watches(podDisruptionBudgets, ofCluster, selection)
    .complete(reconciler);
}

function nodeCache(manager: Manager, canReadNodes: boolean): NodeCache {
  const { clock, log, unfencedClient: client } = manager;
  const cache = new NodeCache(clock);
  const onGranted = () => cache.open(manager.informer(nodes));
  if (canReadNodes) onGranted();
  else manager.add(new NodeAccess({ client, clock, log, onGranted }));
  return cache;
}

/** The original's table: an operator of one namespace leaves annotated objects alone, a cluster-wide one takes only those. */
function isManaged({ metadata }: EtcdCluster, clusterWide: boolean): boolean {
  const scope = metadata?.annotations?.[annotations.scope];
  return clusterWide ? scope === 'clusterwide' : scope === undefined;
}
