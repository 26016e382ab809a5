// SPDX-License-Identifier: Apache-2.0
import { buildController, type EventRecorder, type Manager } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import { keyString } from '@etcd-operator/kube';
import { etcdBackups } from '../api/etcd-backup.ts';
import { isManaged } from '../api/scope.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { BackupMetrics } from './backup-metrics.ts';
import { BackupRuns } from './backup-runs.ts';
import { BackupReconciler } from './reconciler.ts';
import { guardedDialer } from './take/guarded-dialer.ts';
import { Turns } from './take/turns.ts';

export interface BackupControllerOptions {
  readonly events: EventRecorder;
  /** Looks after objects of all namespaces that are annotated `clusterwide`, instead of those without the annotation. */
  readonly clusterWide: boolean;
  /** How members are reached. @default over the network, never to loopback or metadata addresses */
  readonly dial?: Dialer;
  readonly storage?: StorageSettings;
  /** Who holds the lock of the original operator. @default nobody */
  readonly oldOperator?: () => string | undefined;
  /** Backups that move bytes at the same time. @default 8 */
  readonly concurrency?: number;
}

/** Adds the controller of EtcdBackups to a manager. */
export function addBackupController(manager: Manager, options: BackupControllerOptions): void {
  const { clock, random, log, client } = manager;
  const backups = manager.informer(etcdBackups.resource);
  const runs = new BackupRuns(clock);
  manager.add(runs);
  const reconciler = new BackupReconciler({
    client,
    clock,
    random,
    log,
    // One that another operator looks after is as good as gone: a run of it is called off, and nothing is written.
    backupOf: (request) => {
      const backup = backups.lister.get(request);
      return backup && isManaged(backup, options.clusterWide) ? backup : undefined;
    },
    runs,
    turns: new Turns(options.concurrency ?? 8),
    metrics: new BackupMetrics(manager.metrics, clock, () => runs.running),
    events: options.events,
    oldOperator: options.oldOperator ?? (() => undefined),
    dial: options.dial ?? guardedDialer(),
    storage: { ...options.storage, clock, random },
    enqueue: (request) => controller.queue.add(keyString(request)),
  });
  const controller = buildController(manager, { name: 'etcdbackup', concurrency: 32 })
    .forKind(etcdBackups.resource)
    .complete(reconciler);
}
