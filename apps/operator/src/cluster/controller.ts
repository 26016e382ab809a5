// SPDX-License-Identifier: Apache-2.0
import { buildController, type Manager } from '@operator-parts/controller-runtime';
import type { Dialer } from '@operator-parts/etcd';
import { nodes, persistentVolumeClaims, podDisruptionBudgets, pods, services } from '@operator-parts/kube';
import { etcdClusters } from '../api/etcd-cluster.ts';
import { labels } from '../api/names.ts';
import { keysIn, type OperatorScope } from '../scope/operator-scope.ts';
import { scopedReconciler } from '../scope/scoped-reconciler.ts';
import { clusterCaches, clusterOf, memberSelector, podSelector } from './caches.ts';
import { noGrants, type PodGrants } from './grants/pod-grants.ts';
import { NodeAccess } from './nodes/node-access.ts';
import { NodeCache } from './nodes/node-cache.ts';
import { ClusterReconciler } from './reconciler.ts';
import { ClusterSecrets } from './secrets/cluster-secrets.ts';
import { ClusterEvents, type EventSink } from './status/cluster-events.ts';
import { ClusterMetrics } from './status/cluster-metrics.ts';

export interface ClusterControllerOptions {
  /** Which EtcdClusters this operator manages. */
  readonly scope: OperatorScope;
  /** False for an operator of one namespace: this operator asks the API server at run time whether it may read nodes. */
  readonly canReadNodes: boolean;
  readonly events: EventSink;
  readonly coreosOperator: () => string | undefined;
  /** Which pods EtcdClusters may have. @default `noGrants` */
  readonly grants?: PodGrants;
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  /** How the operator connects to members. @default `networkDialer`, which connects over the network */
  readonly dial?: Dialer;
  /** How often the etcd of a healthy cluster is observed, in milliseconds. @default 10_000 */
  readonly healthInterval?: number;
  /** How many clusters are reconciled at the same time. @default 16 */
  readonly concurrency?: number;
}

/** Adds the controller of EtcdClusters to a manager. */
export function addClusterController(manager: Manager, options: ClusterControllerOptions): void {
  const clusters = manager.informer(etcdClusters.resource);
  const responsibility = options.scope.responsibility(etcdClusters.resource);
  const caches = clusterCaches(manager, nodeCache(manager, options.canReadNodes));
  const reconciler = new ClusterReconciler({
    clock: manager.clock,
    caches,
    clusterOf: (request) => clusters.lister.get(request),
    isManaged: (cluster) => responsibility.isOurs(cluster),
    secrets: new ClusterSecrets(manager.clock),
    events: new ClusterEvents(options.events),
    metrics: new ClusterMetrics(manager.metrics),
    coreosOperator: options.coreosOperator,
    grants: options.grants ?? noGrants,
    readLog: options.readLog,
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  const ofCluster = (object: Parameters<typeof clusterOf>[0]) => {
    const key = clusterOf(object);
    return key ? [key] : [];
  };
  const selection = { labelSelector: memberSelector };
  const { concurrency = 16 } = options;
  const builder = buildController(manager, {
    name: options.scope.controllerName('etcdcluster'),
    concurrency,
    spareConcurrency: 3 * concurrency,
  })
    .forKind(etcdClusters.resource)
    .watches(pods, ofCluster, { labelSelector: podSelector })
    .watches(pods, ofCluster, { labelSelector: labels.imageCheck })
    .watches(persistentVolumeClaims, ofCluster, selection)
    .watches(services, ofCluster, selection)
    .watches(podDisruptionBudgets, ofCluster, selection);
  options.scope
    .watch(
      builder,
      keysIn((selection) => clusters.lister.list(selection)),
    )
    .complete(scopedReconciler(reconciler, responsibility, (key) => clusters.lister.get(key)));
}

function nodeCache(manager: Manager, canReadNodes: boolean): NodeCache {
  const { clock, log, unfencedClient: client } = manager;
  const cache = new NodeCache(clock);
  const onGranted = () => cache.open(manager.informer(nodes));
  if (canReadNodes) onGranted();
  else manager.add(new NodeAccess({ client, clock, log, onGranted }));
  return cache;
}
