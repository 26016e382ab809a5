// SPDX-License-Identifier: Apache-2.0
import { buildController, type EventRecorder, type Manager, type Request } from '@operator-parts/controller-runtime';
import { type Dialer, networkDialer } from '@operator-parts/etcd';
import { keyString } from '@operator-parts/kube';
import { type EtcdBackup, etcdBackups } from '../api/etcd-backup.ts';
import { noGrants, type PodGrants } from '../cluster/grants/pod-grants.ts';
import { Jobs, objectOfJob } from '../restore/jobs.ts';
import type { AgentSource } from '../restore/objects/seed-pod.ts';
import { keysIn, type OperatorScope } from '../scope/operator-scope.ts';
import { scopedReconciler } from '../scope/scoped-reconciler.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import { BackupRuns } from './act/backup-runs.ts';
import { type EndpointNetwork, endpointDialer } from './act/endpoint/endpoint-dialer.ts';
import type { EndpointRules } from './act/endpoint/endpoint-rules.ts';
import { Streams } from './continuous/streams.ts';
import { Proofs } from './prove/proofs.ts';
import { BackupReconciler } from './reconciler.ts';
import { BackupMetrics } from './status/backup-metrics.ts';

export interface BackupControllerOptions {
  readonly events: EventRecorder;
  /** Which objects the controller manages. */
  readonly scope: OperatorScope;
  /** Connects to members without applying the rules of `endpoints`. @default undefined: the rules apply */
  readonly dial?: Dialer;
  /** Rules for the endpoints that objects name. @default no host is allowed or refused explicitly */
  readonly endpoints?: Omit<EndpointRules, 'isShared'>;
  /** Resolves host names, and connects to these endpoints. @default the real network */
  readonly network?: EndpointNetwork;
  readonly storage?: StorageSettings;
  /** Which images may run in the pods of proofs (test restores of stored backups). @default all images */
  readonly grants?: PodGrants;
  /** Finds the image of the agent that runs in the pods of proofs. */
  readonly agent: (signal: AbortSignal) => Promise<AgentSource>;
  /** The holder of the lock of the CoreOS etcd-operator, if that operator is running. @default no holder */
  readonly coreosOperator?: () => string | undefined;
  /** How many backups transfer bytes at the same time. The number may be exceeded if the backups are in several namespaces. @default 8 */
  readonly concurrency?: number;
}

/** Adds the controller of EtcdBackups to a manager. */
export function addBackupController(manager: Manager, options: BackupControllerOptions): void {
  const { clock, random, log, client } = manager;
  const backups = manager.informer(etcdBackups.resource);
  const responsibility = options.scope.responsibility(etcdBackups.resource);
  const { isShared } = options.scope;
  const rules = { granted: [], refused: [], ...options.endpoints, isShared };
  const enqueue = (request: Request) => controller.queue.add(keyString(request));
  const work = workBeside(manager, enqueue, (request) => backups.lister.get(request));
  const reconciler = new BackupReconciler({
    client,
    clock,
    random,
    log,
    backupOf: (request) => backups.lister.get(request),
    // An object that another operator manages is treated as deleted: its run is cancelled, and nothing is written.
    isOurs: (backup) => responsibility.isOurs(backup),
    ...work,
    dial: options.dial ?? networkDialer,
    grants: options.grants ?? noGrants,
    agent: options.agent,
    semaphore: new TransferSemaphore(options.concurrency ?? 8, clock),
    events: options.events,
    coreosOperator: options.coreosOperator ?? (() => undefined),
    dialerOf: (namespace) => {
      const { dial } = options;
      return dial ? () => dial : endpointDialer(namespace, client, rules, options.network);
    },
    // Requests to a store stop when the lease is lost, as writes to Kubernetes do.
    storage: {
      secretLabel: isShared ? 'warned' : 'ignored',
      ...options.storage,
      clock,
      random,
      fence: () => manager.assertLeading(),
    },
    fence: manager.fence,
    enqueue,
  });
  const builder = buildController(manager, {
    name: options.scope.controllerName('etcdbackup'),
    concurrency: 32,
    // Deletions run inside a reconciliation and take as long as the store needs.
    spareConcurrency: 96,
  }).forKind(etcdBackups.resource);
  const controller = options.scope
    .watch(
      builder,
      keysIn((selection) => backups.lister.list(selection)),
    )
    .complete(scopedReconciler(reconciler, responsibility, (key) => backups.lister.get(key)));
}

/** Work that continues in the background while this process leads. */
function workBeside(
  manager: Manager,
  enqueue: (request: Request) => void,
  backupOf: (request: Request) => EtcdBackup | undefined,
) {
  const { clock } = manager;
  const runs = new BackupRuns(clock);
  const onEnd = (job: string) => enqueue(objectOfJob(job));
  const proofs = new Jobs(clock, onEnd, 'test restores of backups');
  const recordings = new Jobs(clock, onEnd, 'continuous backups');
  for (const runnable of [runs, proofs, recordings]) manager.add(runnable);
  const metrics = new BackupMetrics(manager.metrics, clock, () => runs.running);
  return {
    runs,
    metrics,
    // At most one proof runs in each namespace, and few in all namespaces together. Proofs are not urgent.
    proofs: new Proofs(proofs, new TransferSemaphore(1, clock)),
    streams: new Streams({
      jobs: recordings,
      clock,
      enqueue,
      lastPath: (request) => backupOf(request)?.status?.lastBackup?.path,
      onPoint: (uid, { time }) => metrics.recovered(uid, time),
    }),
  };
}
