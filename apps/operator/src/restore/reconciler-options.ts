// SPDX-License-Identifier: Apache-2.0
import type { Request } from '@operator-parts/controller-runtime';
import type { Dialer } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import type { EtcdRestore } from '../api/etcd-restore.ts';
import type { PodGrants } from '../cluster/grants/pod-grants.ts';
import type { ClusterSecrets } from '../cluster/secrets/cluster-secrets.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import type { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import type { Jobs } from './jobs.ts';
import type { AgentSource } from './objects/seed-pod.ts';
import type { Found } from './observe/observe.ts';
import type { Scratch } from './source/scratch.ts';

/** What a reconciler of EtcdRestores needs. */
export interface RestoreReconcilerOptions {
  /** Whether the operator may read nodes. @default true */
  readonly readsNodes?: boolean;
  /** For background jobs between reconciliations; it only reads. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The objects that belong to a restore, from the caches; undefined if the EtcdRestore does not exist. */
  readonly find: (request: Request) => Found | undefined;
  readonly secrets: ClusterSecrets;
  readonly jobs: Jobs;
  /** How many restores may read a backup at the same time, and how many may move data while a cluster is isolated. */
  readonly semaphores: { readonly read: TransferSemaphore; readonly move: TransferSemaphore };
  /** Whether this operator manages an object (its scope annotation). */
  readonly isManaged: (restore: EtcdRestore) => boolean;
  readonly storage: StorageSettings;
  readonly grants: PodGrants;
  /** Throws if this process no longer holds the lease. */
  readonly fence: () => void;
  /** Where sources are kept between verification and delivery. */
  readonly scratch: Scratch;
  readonly agent: AgentSource;
  /** Who holds the lock of a CoreOS etcd-operator; nothing is changed while it is held. */
  readonly coreosOperator: () => string | undefined;
  readonly event: (restore: EtcdRestore, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly dial?: Dialer;
}
