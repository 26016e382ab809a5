// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder, ReconcileContext, Request } from '@operator-parts/controller-runtime';
import type { Dialer } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';
import type { AgentSource } from '../../restore/objects/seed-pod.ts';
import type { StorageSettings } from '../../storage/open-store.ts';
import type { TransferSemaphore } from '../../transfers/transfer-semaphore.ts';
import type { Streams } from '../continuous/streams.ts';
import type { SeenBackup } from '../observe/observe.ts';
import type { BackupPlan } from '../plan/backup-plan.ts';
import type { Proofs } from '../prove/proofs.ts';
import type { BackupMetrics } from '../status/backup-metrics.ts';
import type { BackupRuns } from './backup-runs.ts';
import type { DialerFor } from './endpoint/endpoint-dialer.ts';
import type { PlacesInUse } from './stored/path-in-use.ts';

/** What the steps of every EtcdBackup use. */
export interface ActPorts {
  /** Writes the status during a run. A run continues after the reconciliation that started it. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runs: BackupRuns;
  readonly proofs: Proofs;
  readonly streams: Streams;
  readonly random: Random;
  /** Reads from the cache. */
  readonly backupOf: (request: Request) => EtcdBackup | undefined;
  /** Connects to the agents of proofs (test restores of stored backups). */
  readonly dial: Dialer;
  /** The images and fields that are allowed for the pods of proofs. */
  readonly grants: PodGrants;
  /** The image of the agents of proofs. */
  readonly agent: (signal: AbortSignal) => Promise<AgentSource>;
  readonly semaphore: TransferSemaphore;
  readonly places: PlacesInUse;
  readonly metrics: BackupMetrics;
  readonly events: EventRecorder;
  /** Connects to members for an object of this namespace. */
  readonly dialerOf: (namespace: string) => DialerFor;
  readonly storage: StorageSettings;
  /**
   * Throws if this process must not delete anything now, because the lease is lost, or because the data of the API server was replaced
   * (restored from a backup, lost or swapped).
   */
  readonly fence: () => void;
  /** Requests another reconciliation of an object. */
  readonly enqueue: (request: Request) => void;
}

/** One reconciliation of one EtcdBackup. All decisions are in the plan. */
export interface ActContext {
  readonly ports: ActPorts;
  readonly seen: SeenBackup;
  readonly plan: BackupPlan;
  readonly reconcile: ReconcileContext;
}

/** How a step ended. */
export type StepOutcome =
  /** The next step runs, with the object as this step left it. */
  | { readonly kind: 'done'; readonly backup: EtcdBackup }
  /** The object is deleted: no step follows. */
  | { readonly kind: 'gone' }
  /** The step failed, and later steps need its result: the object is reconciled again after `after` milliseconds. */
  | { readonly kind: 'retry'; readonly after: number };
