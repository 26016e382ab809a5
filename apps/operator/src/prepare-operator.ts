// SPDX-License-Identifier: Apache-2.0
import {
  createManager,
  EventWriter,
  type HttpOptions,
  type LeaderElectionOptions,
  type Manager,
  metricsReaders,
  SecureMetrics,
  type SecureMetricsOptions,
} from '@operator-parts/controller-runtime';
import type { Kind } from '@operator-parts/crd';
import type { Dialer } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@operator-parts/ports';
import { installCrd } from './api/install-crd.ts';
import { CoreosOperator } from './coreos-operator.ts';
import { leaseName, type OperatorScope, operatorScope } from './scope/operator-scope.ts';

/** The options of every operator process: its API server, namespace and identity. Each operator defines its additional options itself. */
export interface OperatorOptions {
  readonly client: Client;
  readonly log: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
  /** The namespace that the operator runs in, and manages by default. */
  readonly namespace: string;
  /**
   * The namespace that the operator manages and that contains its Lease. Set if one process runs an operator for each of several
   * namespaces. @default its own namespace
   */
  readonly watched?: string;
  /** The name of this instance of the operator, for the Lease and for events. */
  readonly identity: string;
  /** Manages the objects of all namespaces. @default false */
  readonly clusterWide?: boolean;
  /** Manages the objects of these namespaces, instead of those in its own namespace. */
  readonly namespaces?: readonly string[];
  /** If true, a cluster-wide operator manages only objects that are annotated `clusterwide`. @default false */
  readonly onlyAnnotated?: boolean;
  /** @default true */
  readonly createCrd?: boolean;
  /** Elects a leader with a Lease. @default true */
  readonly leaderElection?: boolean;
  /** Duration and renewal of the Lease. @default the runtime's times, with a duration of 15 s */
  readonly leaseTimes?: Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>;
  /** The manager of a process with several operators; each of them still has its own Lease. @default a manager for this operator only */
  readonly host?: Manager;
  /** The address for `/readyz` and `/metrics`. @default nothing is served */
  readonly http?: HttpOptions;
  /** The address for `/metrics` over TLS, for clients that the API server authorizes. @default the address of `http`, without TLS */
  readonly secureMetrics?: Pick<SecureMetricsOptions, 'port' | 'host' | 'certificate'>;
  /** Connects to members. @default `networkDialer`, which connects over the network */
  readonly dial?: Dialer;
}

/** What the controller of every operator needs. */
export interface PreparedOperator {
  readonly manager: Manager;
  readonly events: EventWriter;
  /** The holder of the lock of the CoreOS etcd-operator with this name, if any. */
  readonly coreosOperator: () => string | undefined;
  readonly scope: OperatorScope;
}

/**
 * Installs the operator's CRD first, then creates its manager, which elects a leader under the operator's name. Before the first
 * reconciliation it checks for a CoreOS operator with that name, and it watches the lock of that operator while the manager runs.
 */
export async function prepareOperator(
  name: string,
  kind: Kind,
  options: OperatorOptions,
  signal: AbortSignal,
): Promise<PreparedOperator> {
  const { client, log, clock = systemClock, namespace, watched = namespace } = options;
  if (options.createCrd ?? true) await installCrd(kind, { client, clock, log, signal });
  const manager = openManager(options, leaseName(name, options.clusterWide ?? false));
  const events = eventWriter(manager, name, options.identity);
  const coreosOperator = new CoreosOperator({ client, clock, log, namespace: watched, lockName: name });
  await coreosOperator.check(signal);
  manager.add(coreosOperator);
  return {
    manager,
    events,
    coreosOperator: () => coreosOperator.holder,
    scope: operatorScope(name, options, manager, events),
  };
}

/** Creates a manager with these options, with a Lease if this name is given. */
export function openManager(options: OperatorOptions, leaseName?: string): Manager {
  const { client, log, clock = systemClock, random = systemRandom, namespace, identity, host, http } = options;
  const isElected = leaseName !== undefined && (options.leaderElection ?? true);
  const election = isElected && {
    leaseName,
    leaseNamespace: options.watched ?? namespace,
    identity,
    ...options.leaseTimes,
  };
  const where = options.watched === undefined ? {} : { namespace: options.watched };
  if (host) return election ? host.withLease(election, where) : host;
  const { secureMetrics } = options;
  const manager = createManager({
    client,
    log,
    clock,
    random,
    ...(options.clusterWide || options.namespaces?.length ? {} : { namespace }),
    ...(election && { leaderElection: election }),
    ...(http && { http: { ...http, metrics: !secureMetrics } }),
  });
  const judge = metricsReaders(client);
  if (secureMetrics) manager.add(new SecureMetrics({ ...secureMetrics, judge, metrics: manager.metrics, clock, log }));
  return manager;
}

/** Runs an operator until the signal aborts. If several namespaces are given, one process runs an operator for each of them. */
export async function runOperator<O extends OperatorOptions>(
  options: O,
  add: (options: O, signal: AbortSignal) => Promise<Manager>,
  signal: AbortSignal,
): Promise<void> {
  const manager = await addOperators(options, add, signal);
  await manager.run(signal);
}

/** Adds an operator for each managed namespace to one manager. */
export async function addOperators<O extends OperatorOptions>(
  options: O,
  add: (options: O, signal: AbortSignal) => Promise<Manager>,
  signal: AbortSignal,
): Promise<Manager> {
  const { namespaces = [] } = options;
  if (namespaces.length === 0) return add(options, signal);
  const host = options.host ?? openManager(options);
  for (const [index, watched] of namespaces.entries()) {
    const createCrd = index === 0 && (options.createCrd ?? true);
    await add({ ...options, host, watched, createCrd }, signal);
  }
  return host;
}

function eventWriter(manager: Manager, component: string, instance: string): EventWriter {
  const { client, clock, random, log, metrics } = manager;
  const events = new EventWriter({ client, clock, random, log, metrics, component, instance });
  manager.add(events);
  return events;
}
