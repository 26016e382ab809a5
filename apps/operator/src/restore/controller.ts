// SPDX-License-Identifier: Apache-2.0
import { buildController, type Manager } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import { type KubeObject, keyOf, keyString, persistentVolumeClaims, pods } from '@etcd-operator/kube';
import { etcdClusters } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { isManaged } from '../api/scope.ts';
import { Turns } from '../backup/take/turns.ts';
import { clusterOf, memberSelector, podSelector } from '../cluster/caches.ts';
import { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { Jobs } from './jobs.ts';
import type { AgentSource } from './objects/seed-pod.ts';
import { RestoreReconciler, restoreOfJob } from './reconciler.ts';
import type { Scratch } from './source/scratch.ts';

export interface RestoreControllerOptions {
  readonly storage: StorageSettings;
  readonly scratch: Scratch;
  readonly agent: AgentSource;
  /** Who holds the lock of an operator of the original kind; undefined if nobody does. */
  readonly oldOperator: () => string | undefined;
  readonly event: (restore: EtcdRestore, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** How members and agents are reached. @default over the network */
  readonly dial?: Dialer;
  /** Restores worked on at the same time. @default 16 */
  readonly concurrency?: number;
  /** Backups that are read at the same time, and restores that move data at the same time. @default 4 of each */
  readonly transfers?: number;
  /** Looks after objects of all namespaces that are annotated `clusterwide`, instead of those without the annotation. */
  readonly clusterWide: boolean;
}

/** Not the name of the cluster controller's index: the caches may be the same. */
const byCluster = 'cluster of a restore';

/** Adds the controller of EtcdRestores to a manager. What it does beside its looks ends with the lease. */
export function addRestoreController(manager: Manager, options: RestoreControllerOptions): void {
  const restores = manager.informer(etcdRestores.resource);
  restores.addIndex(byCluster, ({ metadata, spec }) => [
    keyString({ namespace: metadata?.namespace ?? '', name: spec.etcdCluster.name }),
  ]);
  const clusters = manager.informer(etcdClusters.resource);
  const members = manager.informer(pods, { labelSelector: podSelector });
  members.addIndex(byCluster, indexOf);
  const volumes = manager.informer(persistentVolumeClaims, { labelSelector: memberSelector });
  volumes.addIndex(byCluster, indexOf);
  const restoresOf = (key: { readonly namespace?: string; readonly name: string }) =>
    restores.lister.byIndex(byCluster, keyString(key)).map(keyOf);
  const ofMember = (object: KubeObject) => {
    const cluster = clusterOf(object);
    return cluster ? restoresOf(cluster) : [];
  };
  // What a job has found is looked at right away, not when the next look is due.
  const jobs = new Jobs(manager.clock, (job) => controller.queue.add(keyString(restoreOfJob(job))));
  manager.add(jobs);
  const { transfers = 4 } = options;
  const reconciler = new RestoreReconciler({
    client: manager.client,
    clock: manager.clock,
    random: manager.random,
    find: (request) => {
      const restore = restores.lister.get(request);
      if (!restore) return undefined;
      const key = { namespace: request.namespace ?? '', name: restore.spec.etcdCluster.name };
      const around = { pods: members.lister.byIndex(byCluster, keyString(key)) };
      const claims = volumes.lister.byIndex(byCluster, keyString(key));
      return { restore, cluster: clusters.lister.get(key), ...around, volumes: claims };
    },
    secrets: new ClusterSecrets(manager.clock),
    jobs,
    turns: { read: new Turns(transfers), move: new Turns(transfers) },
    isManaged: (restore) => isManaged(restore, options.clusterWide),
    readsNodes: options.clusterWide,
    storage: options.storage,
    scratch: options.scratch,
    agent: options.agent,
    oldOperator: options.oldOperator,
    event: options.event,
    ...(options.dial && { dial: options.dial }),
  });
  const controller = buildController(manager, { name: 'etcdrestore', concurrency: options.concurrency ?? 16 })
    .forKind(etcdRestores.resource)
    .watches(etcdClusters.resource, (cluster) => restoresOf(keyOf(cluster)))
    .watches(pods, ofMember, { labelSelector: podSelector })
    .watches(persistentVolumeClaims, ofMember, { labelSelector: memberSelector })
    .complete(reconciler);
}

function indexOf(object: KubeObject): readonly string[] {
  const cluster = clusterOf(object);
  return cluster ? [keyString(cluster)] : [];
}
