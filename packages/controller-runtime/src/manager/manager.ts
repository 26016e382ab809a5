// SPDX-License-Identifier: Apache-2.0
import { type Client, type KubeObject, qualifiedName, type Resource } from '@etcd-operator/kube';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@etcd-operator/ports';
import { Informer, type InformerSelection } from '../informer/informer.ts';
import { MetricRegistry } from '../metrics/registry.ts';

/** Something the manager runs beside its caches: a controller, a server, a periodic task. */
export interface Runnable {
  readonly name: string;
  /** Runs only while the manager holds the lease. */
  readonly needsLeader: boolean;
  /** Works until `signal` is aborted; then resolves. Rejecting ends the manager. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly client: Client;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
  /** @default silent */
  readonly log?: Logger;
  /** @default a new registry */
  readonly metrics?: MetricRegistry;
  /** Caches hold this namespace only, unless they ask for another. @default all namespaces */
  readonly namespace?: string;
  /** Caches make their objects immutable; for tests. @default false */
  readonly freeze?: boolean;
}

/** Owns everything a program of controllers is made of, starts it in order and stops it in the reverse order. */
export interface Manager {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** The cache of a kind; the same one for the same selection. */
  informer<T extends KubeObject>(resource: Resource<T>, selection?: InformerSelection): Informer<T>;
  /** All caches that hold a kind. */
  informersOf(resource: Resource): readonly Informer<KubeObject>[];
  /** Has something run with the manager. */
  add(runnable: Runnable): void;
  /** Runs everything until `signal` is aborted; resolves when all has ended. Rejects if a part fails. */
  run(signal: AbortSignal): Promise<void>;
}

/** Makes a manager. Nothing runs before `run`. */
export function createManager(options: ManagerOptions): Manager {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const log = options.log ?? silentLogger;
  const metrics = options.metrics ?? new MetricRegistry();
  const informers = new Map<string, Informer<KubeObject>>();
  const runnables: Runnable[] = [];

  const manager: Manager = {
    client: options.client,
    clock,
    random,
    log,
    metrics,
    informer<T extends KubeObject>(resource: Resource<T>, selection: InformerSelection = {}) {
      const where = {
        ...(options.namespace && resource.namespaced ? { namespace: options.namespace } : {}),
        ...selection,
      };
      const id = JSON.stringify([qualifiedName(resource), where.namespace, where.labelSelector, where.fieldSelector]);
      const known = informers.get(id);
      if (known) return known as unknown as Informer<T>;
      const made = new Informer<T>({
        ...where,
        resource,
        reader: options.client.resource(resource),
        clock,
        random,
        log,
        metrics,
        freeze: options.freeze ?? false,
      });
      informers.set(id, made as unknown as Informer<KubeObject>);
      return made;
    },
    informersOf: (resource) => [...informers.values()].filter((informer) => informer.name === qualifiedName(resource)),
    add(runnable) {
      if (runnables.some(({ name }) => name === runnable.name)) {
        throw new Error(`the manager runs something named ${runnable.name} already`);
      }
      runnables.push(runnable);
    },
    async run(signal) {
      const caches = new AbortController();
      const cacheRuns = [...informers.values()].map((informer) => informer.run(caches.signal));
      await Promise.all(runnables.map((runnable) => runnable.run(signal)));
      caches.abort();
      await Promise.all(cacheRuns);
    },
  };
  return manager;
}
