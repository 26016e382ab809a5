// SPDX-License-Identifier: Apache-2.0
import { createManager, EventWriter, type HttpOptions, type Manager } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import type { Client } from '@etcd-operator/kube';
import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@etcd-operator/ports';
import { etcdBackups } from './api/etcd-backup.ts';
import { etcdClusters } from './api/etcd-cluster.ts';
import { installCrd } from './api/install-crd.ts';
import { Chaos } from './chaos.ts';
import { addClusterController } from './cluster/controller.ts';
import { OldOperator } from './old-operator.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** An operator process: which API server it works on, where, and as whom. */
export interface OperatorOptions {
  readonly client: Client;
  readonly log: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
  /** The namespace it looks after and keeps its lease in. */
  readonly namespace: string;
  /** Its own name, for the lease and for events. */
  readonly identity: string;
  /** @default false */
  readonly clusterWide?: boolean;
  /** @default true */
  readonly createCrd?: boolean;
  /** Elects a leader by a Lease. @default true */
  readonly leaderElection?: boolean;
  /** Where `/readyz` and `/metrics` are answered. @default nowhere */
  readonly http?: HttpOptions;
  /** What a pod that ended has printed. */
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  /** How members are reached. @default over the network */
  readonly dial?: Dialer;
  readonly healthInterval?: number;
  /** 1 or 2 delete random member pods. @default 0, nothing */
  readonly chaosLevel?: number;
  /** Looks after EtcdBackups in the same process. @default false */
  readonly backups?: boolean;
  /** Where backups may be kept. */
  readonly storage?: StorageSettings;
}

/** Runs the etcd-operator until the signal ends it. Its first act is to install its CRD. */
export async function runEtcdOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { client, log, clock = systemClock } = options;
  if (options.createCrd ?? true) await installCrd(etcdClusters, { client, clock, log, signal });
  const manager = operatorManager(options, 'etcd-operator');
  const events = eventWriter(manager, 'etcd-operator', options.identity);
  const old = new OldOperator({ client, clock, log, namespace: options.namespace, lockName: 'etcd-operator' });
  await old.look(signal);
  manager.add(old);
  const level = options.chaosLevel ?? 0;
  if (level === 1 || level === 2) {
    manager.add(new Chaos({ client, clock, random: manager.random, log, namespace: options.namespace, level }));
  }
  addClusterController(manager, {
    clusterWide: options.clusterWide ?? false,
    canReadNodes: options.clusterWide ?? false,
    events,
    oldOperator: () => old.holder,
    readLog: options.readLog,
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  if (options.backups) await addBackups(manager, options, events, signal);
  await manager.run(signal);
}

/** Runs the etcd-backup-operator until the signal ends it. Its first act is to install its CRD. */
export async function runEtcdBackupOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = operatorManager(options, 'etcd-backup-operator');
  await addBackups(manager, options, eventWriter(manager, 'etcd-backup-operator', options.identity), signal);
  await manager.run(signal);
}

async function addBackups(
  manager: Manager,
  options: OperatorOptions,
  events: EventWriter,
  signal: AbortSignal,
): Promise<void> {
  // The kind is installed before anybody leads.
  const { unfencedClient: client, clock, log } = manager;
  if (options.createCrd ?? true) await installCrd(etcdBackups, { client, clock, log, signal });
  const old = new OldOperator({ client, clock, log, namespace: options.namespace, lockName: 'etcd-backup-operator' });
  await old.look(signal);
  manager.add(old);
  // The libraries of the stores are large: who makes no backups does not load them.
  const { addBackupController } = await import('./backup/controller.ts');
  addBackupController(manager, {
    events,
    oldOperator: () => old.holder,
    ...(options.dial && { dial: options.dial }),
    ...(options.storage && { storage: options.storage }),
  });
}

function eventWriter(manager: Manager, component: string, instance: string): EventWriter {
  const { client, clock, random, log, metrics } = manager;
  const events = new EventWriter({ client, clock, random, log, metrics, component, instance });
  manager.add(events);
  return events;
}

function operatorManager(options: OperatorOptions, name: string): Manager {
  const { client, log, clock = systemClock, random = systemRandom, namespace, identity, http } = options;
  return createManager({
    client,
    log,
    clock,
    random,
    ...(options.clusterWide ? {} : { namespace }),
    ...((options.leaderElection ?? true) && {
      leaderElection: { leaseName: name, leaseNamespace: namespace, identity },
    }),
    ...(http && { http }),
  });
}
