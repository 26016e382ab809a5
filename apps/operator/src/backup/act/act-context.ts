// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder, ReconcileContext, Request } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import type { Client } from '@etcd-operator/kube';
import type { Clock, Logger, Random } from '@etcd-operator/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';
import type { AgentSource } from '../../restore/objects/seed-pod.ts';
import type { StorageSettings } from '../../storage/open-store.ts';
import type { Turns } from '../../transfers/turns.ts';
import type { Streams } from '../continuous/streams.ts';
import type { SeenBackup } from '../observe/observe.ts';
import type { BackupPlan } from '../plan/backup-plan.ts';
import type { Proofs } from '../prove/proofs.ts';
import type { BackupMetrics } from '../status/backup-metrics.ts';
import type { BackupRuns } from './backup-runs.ts';
import type { DialerFor } from './endpoint/endpoint-dialer.ts';
import type { PlacesInUse } from './stored/occupied.ts';

/** What carrying out steps works with, whatever the EtcdBackup. */
export interface ActPorts {
  /** For writes of runs, which outlive the reconcile that started them. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runs: BackupRuns;
  readonly proofs: Proofs;
  readonly streams: Streams;
  readonly random: Random;
  /** From the cache. */
  readonly backupOf: (request: Request) => EtcdBackup | undefined;
  /** How the agents of proofs are reached. */
  readonly dial: Dialer;
  /** Which pods proofs may have. */
  readonly grants: PodGrants;
  /** The image of those agents. */
  readonly agent: (signal: AbortSignal) => Promise<AgentSource>;
  readonly turns: Turns;
  readonly places: PlacesInUse;
  readonly metrics: BackupMetrics;
  readonly events: EventRecorder;
  /** How members are reached for an object of this namespace. */
  readonly dialerOf: (namespace: string) => DialerFor;
  readonly storage: StorageSettings;
  /** Throws if nothing may be deleted now: the lease is lost, or the caches are in doubt. */
  readonly fence: () => void;
  /** Has an object looked at again. */
  readonly enqueue: (request: Request) => void;
}

/** One reconciliation of one EtcdBackup. Every decision has been taken. */
export interface ActContext {
  readonly ports: ActPorts;
  readonly seen: SeenBackup;
  readonly plan: BackupPlan;
  readonly reconcile: ReconcileContext;
}

/** How a step ended. */
export type StepOutcome =
  /** The next one follows, on the object as it is now. */
  | { readonly kind: 'done'; readonly backup: EtcdBackup }
  /** The object is deleted: nothing follows. */
  | { readonly kind: 'gone' }
  /** It failed, and what follows builds on it: all is looked at again after so many milliseconds. */
  | { readonly kind: 'retry'; readonly after: number };
