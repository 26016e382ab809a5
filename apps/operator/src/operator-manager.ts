// SPDX-License-Identifier: Apache-2.0
import { createManager, EventWriter, type HttpOptions, type Manager } from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import type { Client } from '@etcd-operator/kube';
import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@etcd-operator/ports';
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
  /** Where backups may be kept. */
  readonly storage?: StorageSettings;
}

/** Writes the events of one operator, for as long as its manager runs. */
export function eventWriter(manager: Manager, component: string, instance: string): EventWriter {
  const { client, clock, random, log, metrics } = manager;
  const events = new EventWriter({ client, clock, random, log, metrics, component, instance });
  manager.add(events);
  return events;
}

/** The manager of one operator, which elects its leader under the operator's name. */
export function operatorManager(options: OperatorOptions, name: string): Manager {
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
