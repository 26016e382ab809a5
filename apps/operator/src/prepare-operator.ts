// SPDX-License-Identifier: Apache-2.0
import { createManager, EventWriter, type HttpOptions, type Manager } from '@etcd-operator/controller-runtime';
import type { Kind } from '@etcd-operator/crd';
import type { Dialer } from '@etcd-operator/etcd';
import type { Client } from '@etcd-operator/kube';
import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@etcd-operator/ports';
import { installCrd } from './api/install-crd.ts';
import { OldOperator } from './old-operator.ts';

/** An operator process: which API server it works on, where, and as whom. What each operator needs besides stands with it. */
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
  /** The manager of a process with several operators; each of them still has a lease of its own. @default one for this operator alone */
  readonly host?: Manager;
  /** Where `/readyz` and `/metrics` are answered. @default nowhere */
  readonly http?: HttpOptions;
  /** How members are reached. @default over the network */
  readonly dial?: Dialer;
}

/** What every operator stands on, ready for its controller. */
export interface PreparedOperator {
  readonly manager: Manager;
  readonly events: EventWriter;
  /** Who holds the lock of the original operator of this name, if anybody does. */
  readonly original: () => string | undefined;
}

/**
 * Installs the operator's kind, which is its first act, and makes its manager, which elects its leader under the operator's
 * name. An original operator of that name is looked for before anything else, and watched as long as the manager runs.
 */
export async function prepareOperator(
  name: string,
  kind: Kind,
  options: OperatorOptions,
  signal: AbortSignal,
): Promise<PreparedOperator> {
  const { client, log, clock = systemClock, namespace } = options;
  if (options.createCrd ?? true) await installCrd(kind, { client, clock, log, signal });
  const manager = openManager(options, name);
  const events = eventWriter(manager, name, options.identity);
  const original = new OldOperator({ client, clock, log, namespace, lockName: name });
  await original.look(signal);
  manager.add(original);
  return { manager, events, original: () => original.holder };
}

/** A manager as these options want it, with a lease of this name if there is one. */
export function openManager(options: OperatorOptions, leaseName?: string): Manager {
  const { client, log, clock = systemClock, random = systemRandom, namespace, identity, host, http } = options;
  const isElected = leaseName !== undefined && (options.leaderElection ?? true);
  const election = isElected && { leaseName, leaseNamespace: namespace, identity };
  if (host) return election ? host.withLease(election) : host;
  return createManager({
    client,
    log,
    clock,
    random,
    ...(options.clusterWide ? {} : { namespace }),
    ...(election && { leaderElection: election }),
    ...(http && { http }),
  });
}

function eventWriter(manager: Manager, component: string, instance: string): EventWriter {
  const { client, clock, random, log, metrics } = manager;
  const events = new EventWriter({ client, clock, random, log, metrics, component, instance });
  manager.add(events);
  return events;
}
