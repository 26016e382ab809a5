// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import type { Client, KubeObject, Resource } from '@etcd-operator/kube';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@etcd-operator/ports';
import { trackedClient } from '../controller/tracked-client.ts';
import { type EventRecorder, EventWriter } from '../events/event-recorder.ts';
import type { Informer } from '../informer/informer.ts';
import { InformerPool, type InformerRequest } from '../informer/informer-pool.ts';
import type { World, WorldListener } from '../informer/world.ts';
import { type LeaderElectionOptions, LeaderElector } from '../leader-election/leader-elector.ts';
import { MetricRegistry, metricsContentType } from '../metrics/registry.ts';
import { cacheChecks, cachesSettled } from './cache-health.ts';
import { type HealthCheck, type HealthReport, runChecks } from './health.ts';
import { HttpEndpoint, type HttpOptions, plain } from './http-endpoint.ts';
import { type Runnable, RunnableGroup } from './runnable.ts';

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
  /** Controllers work only while this process holds the lease. @default no election: they always work */
  readonly leaderElection?: LeaderElectionOptions;
  /** Answers `/healthz`, `/readyz` and `/metrics`. @default not at all */
  readonly http?: HttpOptions;
  /**
   * Caches make their objects immutable, so that code that modifies them is found where it does. Costs time for every object.
   * @default true unless the environment says NODE_ENV=production
   */
  readonly freeze?: boolean;
  /** Caches use streaming lists where the server has them. @default true */
  readonly streaming?: boolean;
}

/**
 * Owns everything a program of controllers is made of. Starts it in order (probes and metrics, caches, leadership,
 * controllers) and stops it in the reverse order: controllers finish what they are at while the lease is kept, then the lease
 * is released, then caches and probes end.
 */
export interface Manager {
  /**
   * Reads always; writes only while this process holds the lease, if there is an election: before and after, a write fails with
   * code `Aborted` and nothing is sent. That holds as for a reconcile's client for writes that wait in line or to be repeated:
   * they end when the lease does, and the lease is looked at again when they leave.
   */
  readonly client: Client;
  /** The client as it was given: also writes without the lease. For what every replica does, such as its own registration. */
  readonly unfencedClient: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** Where probes and metrics are answered, while it runs. */
  readonly httpAddress: AddressInfo | undefined;
  /** True while controllers may work. */
  readonly leading: boolean;
  /** The cache of a kind; the same one for the same selection. May be asked for at any time. */
  informer<T extends KubeObject>(resource: Resource<T>, request?: InformerRequest<T>): Informer<T>;
  /** All caches that hold a kind. */
  informersOf(resource: Resource): readonly Informer<KubeObject>[];
  /** Whether all caches show one world. Controllers heed it by themselves; what else decides on caches asks it before it acts. */
  readonly world: World;
  /**
   * Calls `listener` when the API server's data turned out to be lost, restored or swapped. All caches are then read anew before
   * anything is reconciled; what a reconcile decided before that changes nothing any more.
   */
  onWorldReplaced(listener: WorldListener): void;
  /** Has something run with the manager. Before `run` only. */
  add(runnable: Runnable): void;
  /**
   * A manager with a lease of its own that shares client, caches, metrics and probes with this one and runs with it: for several
   * operators in one process, each of which another process may replace. What is added to it works while it holds that lease;
   * if it loses the lease, this manager ends too. Before `run` only.
   */
  withLease(election: LeaderElectionOptions): Manager;
  /** Records events in the name of `component`, for as long as the manager runs. Before `run` only. */
  eventRecorder(component: string): EventRecorder;
  /** A check of `/healthz`: failing means that only a restart helps. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** A check of `/readyz`: failing means that the program is not of use right now. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** What `/healthz` says. */
  health(): HealthReport;
  /** What `/readyz` says. */
  readiness(): HealthReport;
  /** Throws, and ends all work, if the lease cannot be relied on; called before every write of a controller. */
  assertLeading(): void;
  /**
   * Runs everything until `signal` is aborted; resolves when all has ended. Rejects, after the same orderly stop, if a part
   * fails or the lease is lost. Once only.
   */
  run(signal: AbortSignal): Promise<void>;
}

const notLeading = 'nothing is written: this process does not hold the lease (unfencedClient writes without it)';

/** Makes a manager. Nothing runs before `run`. */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options);
}

class ControllerManager implements Manager {
  readonly client: Client;
  readonly unfencedClient: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  readonly #pool: InformerPool;
  readonly #elector: LeaderElector | undefined;
  readonly #endpoint: HttpEndpoint | undefined;
  readonly #runnables: Runnable[] = [];
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #healthChecks: Map<string, HealthCheck>;
  readonly #readyChecks: Map<string, HealthCheck>;
  readonly #host: ControllerManager | undefined;
  #started = false;

  /** @param host whose caches and probes it shares */
  constructor(options: ManagerOptions, host?: ControllerManager) {
    this.#host = host;
    this.#healthChecks = host ? host.#healthChecks : new Map();
    this.#readyChecks = host ? host.#readyChecks : new Map();
    this.unfencedClient = options.client;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.log = options.log ?? silentLogger;
    this.metrics = options.metrics ?? new MetricRegistry();
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const { leaderElection, http } = options;
    this.#elector = leaderElection && new LeaderElector({ ...leaderElection, client, clock, random, log, metrics });
    const fence = () => this.assertLeading();
    this.client = this.#elector
      ? trackedClient(client, { writeSignal: this.#elector.tenure, fence, refusal: notLeading })
      : client;
    this.#pool = host ? host.#pool : this.#makePool(options);
    this.#endpoint = host ? host.#endpoint : http && new HttpEndpoint(http, this.#routes(), log);
    if (leaderElection) this.#announceReplacement(leaderElection);
  }

  /** Whoever looks at the lease finds why all work was begun anew. */
  #announceReplacement({ leaseName: name, leaseNamespace: namespace }: LeaderElectionOptions): void {
    const events = this.eventRecorder('controller-runtime');
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
    this.onWorldReplaced((resource) => {
      const message = `The API server's data was replaced (seen in ${resource}). All caches are read anew before any work goes on.`;
      if (this.leading) events.record(lease, 'Warning', 'WorldReplaced', message);
    });
  }

  #makePool({ namespace, freeze = isFrozenByDefault(), streaming = true }: ManagerOptions): InformerPool {
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const where = namespace ? { namespace } : {};
    const pool = new InformerPool({ client, clock, random, log, metrics, freeze, streaming, ...where });
    const caches = cacheChecks(pool, clock);
    this.addHealthCheck('caches', caches.health);
    this.addReadyCheck('caches', caches.ready);
    return pool;
  }

  get httpAddress(): AddressInfo | undefined {
    return this.#endpoint?.address;
  }

  get leading(): boolean {
    return this.#elector?.leading ?? this.#started;
  }

  get world(): World {
    return this.#pool;
  }

  onWorldReplaced(listener: WorldListener): void {
    this.#pool.onWorldReplaced(listener);
  }

  informer<T extends KubeObject>(resource: Resource<T>, request?: InformerRequest<T>): Informer<T> {
    return this.#pool.informer(resource, request);
  }

  informersOf(resource: Resource): readonly Informer<KubeObject>[] {
    return this.#pool.informersOf(resource);
  }

  add(runnable: Runnable): void {
    if (this.#started) throw new Error(`${runnable.name} is added to a manager that runs already`);
    if (this.#runnables.some(({ name }) => name === runnable.name)) {
      throw new Error(`the manager has something named ${runnable.name} already`);
    }
    this.#runnables.push(runnable);
  }

  withLease(election: LeaderElectionOptions): Manager {
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const guest = new ControllerManager({ client, clock, random, log, metrics, leaderElection: election }, this);
    this.add({
      name: `work under the lease ${election.leaseName}`,
      needsLeader: false,
      run: (signal) => guest.run(signal),
    });
    return guest;
  }

  eventRecorder(component: string): EventRecorder {
    const known = this.#recorders.get(component);
    if (known) return known;
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const recorder = new EventWriter({ client, clock, random, log, metrics, component });
    this.#recorders.set(component, recorder);
    this.add(recorder);
    return recorder;
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthChecks.set(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyChecks.set(name, check);
  }

  health(): HealthReport {
    return runChecks(this.#healthChecks);
  }

  readiness(): HealthReport {
    return runChecks(this.#readyChecks);
  }

  assertLeading(): void {
    this.#elector?.assertLeading();
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error('a manager runs once; make a new one');
    this.#started = true;
    if (this.#host) {
      await this.#runParts(signal);
      return;
    }
    await this.#endpoint?.listen();
    const caches = new RunnableGroup(this.log);
    try {
      caches.start({ name: 'caches', needsLeader: false, run: (stop) => this.#pool.run(stop) });
      await this.#runParts(signal);
    } finally {
      await caches.stop();
      await this.#endpoint?.close();
      this.log.info('manager stopped');
    }
  }

  /** Runs what is beside the caches. A part that fails stops the rest. */
  async #runParts(signal: AbortSignal): Promise<void> {
    const always = new RunnableGroup(this.log);
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    always.onFailure = (error) => failed.abort(error);
    for (const runnable of this.#runnables) if (!runnable.needsLeader) always.start(runnable);
    try {
      await cachesSettled(this.#pool, this.clock, stop);
      const lead = (leader: AbortSignal) => this.#runLeaderParts(leader, failed);
      if (this.#elector) await this.#elector.run(stop, lead);
      else await lead(stop);
    } finally {
      await always.stop();
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  async #runLeaderParts(signal: AbortSignal, failed: AbortController): Promise<void> {
    const group = new RunnableGroup(this.log);
    group.onFailure = (error) => failed.abort(error);
    if (!signal.aborted) {
      for (const runnable of this.#runnables) if (runnable.needsLeader) group.start(runnable);
      await new Promise<void>((resolve) => {
        const stop = () => {
          // At once, not in a later turn: nobody may write in between.
          group.abort(signal.reason);
          resolve();
        };
        signal.addEventListener('abort', stop, { once: true });
      });
    }
    await group.stop();
  }

  #routes() {
    return new Map([
      ['/healthz', () => report(this.health())],
      ['/readyz', () => report(this.readiness())],
      ['/metrics', () => ({ status: 200, type: metricsContentType, body: this.metrics.render() })],
    ]);
  }
}

function isFrozenByDefault(): boolean {
  return process.env['NODE_ENV'] !== 'production';
}

function report({ ok, text }: HealthReport) {
  return plain(ok ? 200 : 503, text);
}
