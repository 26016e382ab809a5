// SPDX-License-Identifier: Apache-2.0
import { buildController, type Manager } from '@operator-parts/controller-runtime';
import type { Dialer } from '@operator-parts/etcd';
import { type KubeObject, keyOf, keyString, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { etcdClusters } from '../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { clusterOf, memberSelector, podSelector } from '../cluster/caches.ts';
import { noGrants, type PodGrants } from '../cluster/grants/pod-grants.ts';
import { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import { keysIn, type OperatorScope } from '../scope/operator-scope.ts';
import { scopedReconciler } from '../scope/scoped-reconciler.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import { Jobs, objectOfJob } from './jobs.ts';
import type { AgentSource } from './objects/seed-pod.ts';
import { clusterNameOf } from './observe/restore-facts.ts';
import { RestoreReconciler } from './reconciler.ts';
import type { Scratch } from './source/scratch.ts';

export interface RestoreControllerOptions {
  readonly storage: StorageSettings;
  /** Which pods restored clusters may have. @default every image, but nothing that weakens the restricted Pod Security Standard */
  readonly grants?: PodGrants;
  readonly scratch: Scratch;
  readonly agent: AgentSource;
  /** Who holds the lock of a CoreOS etcd-operator; undefined if it is free. */
  readonly coreosOperator: () => string | undefined;
  readonly event: (restore: EtcdRestore, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** How to connect to members and agents. @default `networkDialer`, which connects over the network */
  readonly dial?: Dialer;
  /** How many restores are reconciled at the same time. @default 16 */
  readonly concurrency?: number;
  /**
   * How many backups are read at the same time, and how many restores move data. Both numbers may be exceeded if the restores are in
   * several namespaces. @default 4 of each
   */
  readonly transfers?: number;
  /** Which objects the controller manages. */
  readonly scope: OperatorScope;
}

/** Differs from the name of the cluster controller's index, because both may use the same caches. */
const byCluster = 'cluster of a restore';

/** Adds the controller of EtcdRestores to a manager. Its background jobs end when the lease is lost. */
export function addRestoreController(manager: Manager, options: RestoreControllerOptions): void {
  const restores = manager.informer(etcdRestores.resource);
  restores.addIndex(byCluster, ({ metadata, spec }) => [
    keyString({ namespace: metadata?.namespace ?? '', name: clusterNameOf(spec) }),
  ]);
  const clusters = manager.informer(etcdClusters.resource);
  const members = manager.informer(pods, { labelSelector: podSelector });
  members.addIndex(byCluster, indexOf);
  const volumes = manager.informer(persistentVolumeClaims, { labelSelector: memberSelector });
  volumes.addIndex(byCluster, indexOf);
  const restoresOf = (key: { readonly namespace?: string; readonly name: string }) =>
    restores.lister.byIndex(byCluster, keyString(key)).map(keyOf);
  const ofMember = (object: KubeObject) => [clusterOf(object) ?? []].flat().flatMap(restoresOf);
  // A job that ends triggers a reconciliation at once, instead of waiting until the next one is due.
  const { client, clock, random, fence } = manager;
  const jobs = new Jobs(clock, (job) => controller.queue.add(keyString(objectOfJob(job))));
  manager.add(jobs);
  const { scope, transfers = 4, concurrency = 16, scratch, agent, coreosOperator, event } = options;
  const responsibility = scope.responsibility(etcdRestores.resource);
  const reconciler = new RestoreReconciler({
    ...{ client, clock, random },
    find: (request) => {
      const restore = restores.lister.get(request);
      if (!restore) return undefined;
      const key = { namespace: request.namespace ?? '', name: clusterNameOf(restore.spec) };
      const around = { pods: members.lister.byIndex(byCluster, keyString(key)) };
      const claims = volumes.lister.byIndex(byCluster, keyString(key));
      return { restore, cluster: clusters.lister.get(key), ...around, volumes: claims };
    },
    secrets: new ClusterSecrets(clock),
    jobs,
    semaphores: { read: new TransferSemaphore(transfers, clock), move: new TransferSemaphore(transfers, clock) },
    isManaged: (restore) => responsibility.isOurs(restore),
    readsNodes: scope.isClusterWide,
    // Once the lease is lost, jobs send nothing more to stores and new members, just as nothing more is written to Kubernetes.
    storage: { secretLabel: scope.isShared ? 'warned' : 'ignored', ...options.storage, fence },
    grants: options.grants ?? noGrants,
    fence,
    ...{ scratch, agent, coreosOperator, event },
    ...(options.dial && { dial: options.dial }),
  });
  const name = scope.controllerName('etcdrestore');
  const builder = buildController(manager, { name, concurrency, spareConcurrency: 3 * concurrency })
    .forKind(etcdRestores.resource)
    .watches(etcdClusters.resource, (cluster) => restoresOf(keyOf(cluster)))
    .watches(pods, ofMember, { labelSelector: podSelector })
    .watches(persistentVolumeClaims, ofMember, { labelSelector: memberSelector });
  const controller = scope
    .watch(
      builder,
      keysIn((selection) => restores.lister.list(selection)),
    )
    .complete(scopedReconciler(reconciler, responsibility, (key) => restores.lister.get(key)));
}

function indexOf(object: KubeObject): readonly string[] {
  const cluster = clusterOf(object);
  return cluster ? [keyString(cluster)] : [];
}
