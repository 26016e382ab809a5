// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import type { Client, KubeObject, Resource } from '@operator-parts/kube';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { trackedClient } from '../controller/tracked-client.ts';
import { type EventRecorder, EventWriter } from '../events/event-recorder.ts';
import type { Informer } from '../informer/informer.ts';
import { InformerPool, type InformerRequest } from '../informer/informer-pool.ts';
import { type ServerData, ServerDataInDoubt, type ServerDataListener } from '../informer/server-data.ts';
import { type LeaderElectionOptions, LeaderElector } from '../leader-election/leader-elector.ts';
import { LeadershipLost } from '../leader-election/leadership-lost.ts';
import { MetricRegistry, metricsContentType } from '../metrics/registry.ts';
import { cacheChecks, cachesSettled } from './cache-health.ts';
import { type HealthCheck, type HealthReport, runChecks } from './health.ts';
import { HttpEndpoint, type HttpOptions, plain } from './http-endpoint.ts';
import { type Runnable, RunnableGroup } from './runnable.ts';
import { StopLimit } from './stop-limit.ts';

export interface ManagerOptions {
  readonly client: Client;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
  /** @default `silentLogger` */
  readonly log?: Logger;
  /** @default a new registry */
  readonly metrics?: MetricRegistry;
  /** The namespace of the caches, unless a caller asks for another. @default all namespaces */
  readonly namespace?: string;
  /** Controllers run only while this process holds the lease. @default no election: they always run */
  readonly leaderElection?: LeaderElectionOptions;
  /** Serves `/healthz`, `/readyz` and `/metrics`. @default none: no HTTP server */
  readonly http?: HttpOptions;
  /**
   * Freezes cached objects, so that code that modifies them fails where it does so. Costs time for every object.
   * @default true unless the environment says NODE_ENV=production
   */
  readonly freeze?: boolean;
  /** Caches use streaming lists if the server supports them. @default true */
  readonly streaming?: boolean;
  /**
   * Time limit for stopping, in milliseconds. A part that has not ended by then is named in the log and abandoned, and
   * its lease is not released: it expires.
   * @default 25000, less than the 30 s that Kubernetes gives a pod
   */
  readonly gracePeriod?: number;
}

/**
 * Owns all parts of a program of controllers. Starts them in order (probes and metrics, caches, leadership,
 * controllers) and stops them in reverse order: controllers finish what they are doing while the lease is kept, then
 * the lease is released, then caches and probes end.
 */
export interface Manager {
  /**
   * Can always read, but writes only while `fence` allows it: with the lease, if there is an election, and while the
   * caches are consistent. Otherwise a write fails with code `Aborted` and nothing is sent. This includes writes that
   * wait for a free connection or for a retry: they fail when the lease is lost, and the fence is called again when
   * they are sent.
   */
  readonly client: Client;
  /**
   * The client as passed to the manager: also writes without the lease. For what every replica does, such as its own
   * registration.
   */
  readonly unfencedClient: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** The address of probes and metrics, while it runs. */
  readonly httpAddress: AddressInfo | undefined;
  /** True while controllers may run. */
  readonly leading: boolean;
  /** The cache of a kind; the same selection gives the same cache. Can be requested at any time. */
  informer<T extends KubeObject>(resource: Resource<T>, request?: InformerRequest<T>): Informer<T>;
  /** All caches of a kind. */
  informersOf(resource: Resource): readonly Informer<KubeObject>[];
  /**
   * Whether all caches are consistent. Controllers check it automatically; other code that decides by caches must check
   * it before it acts.
   */
  readonly serverData: ServerData;
  /**
   * Calls `listener` when the API server's data was replaced (restored from a backup, lost or swapped). All caches then
   * list again before anything is reconciled; decisions that were made before are not carried out.
   */
  onServerDataReplaced(listener: ServerDataListener): void;
  /** Adds something that runs with the manager. Only before `run`. */
  add(runnable: Runnable): void;
  /**
   * A manager with its own lease that shares client, caches, metrics and probes with this one and runs with it: for
   * several operators in one process, each of which another process may take over. Everything that is added to the new
   * manager runs while it holds its lease; if it loses the lease, this manager ends, too. With a namespace, the caches
   * of the new manager are limited to that namespace. Only before `run`.
   */
  withLease(election: LeaderElectionOptions, where?: { readonly namespace?: string }): Manager;
  /**
   * Records events in the name of `component` while the manager runs. With an election, events without the lease are
   * dropped, even if recorded before it was lost. Only before `run`.
   */
  eventRecorder(component: string): EventRecorder;
  /** A check of `/healthz`: its failure means that only a restart helps. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** A check of `/readyz`: its failure means that the program cannot do its work now. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** The answer of `/healthz`. */
  health(): HealthReport;
  /** The answer of `/readyz`. */
  readiness(): HealthReport;
  /** Throws and ends all work if the lease may be lost; called before every write of a controller. */
  assertLeading(): void;
  /**
   * Throws if writes are not allowed now: the lease may be lost, or the caches are in doubt. `client` calls it before
   * every write; other code calls it right before each change outside of a reconcile.
   */
  readonly fence: () => void;
  /**
   * Runs everything until `signal` is aborted; resolves when all has ended. Rejects, after the same orderly stop, if a
   * part fails or the lease is lost; also if work under the lease does not end within the grace period: then the
   * process should be ended. Can be called once.
   */
  run(signal: AbortSignal): Promise<void>;
}

const notNow = 'nothing is written without the lease (unfencedClient does not check the lease)';

/** Creates a manager. Nothing runs before `run`. */
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
  /** Writes with the lease, also while the caches are in doubt: for events, which report the doubt. */
  readonly #leaseClient: Client;
  readonly #pool: InformerPool;
  readonly #elector: LeaderElector | undefined;
  readonly #endpoint: HttpEndpoint | undefined;
  readonly #gracePeriod: number;
  readonly #stopLimit: StopLimit;
  readonly #runnables: Runnable[] = [];
  readonly #recorders = new Map<string, EventWriter>();
  readonly #healthChecks: Map<string, HealthCheck>;
  readonly #readyChecks: Map<string, HealthCheck>;
  readonly #host: ControllerManager | undefined;
  /** The namespace of the caches that a manager with its own lease requests. */
  readonly #namespace: string | undefined;
  /**
   * The caches that were requested from this manager. What is added to this manager starts once these caches are
   * filled; caches of managers with another lease do not matter.
   */
  readonly #asked = new Set<Informer<KubeObject>>();
  #started = false;

  /** @param host the manager whose caches and probes it shares */
  constructor(options: ManagerOptions, host?: ControllerManager) {
    this.#host = host;
    this.#namespace = host && options.namespace;
    this.#healthChecks = host ? host.#healthChecks : new Map();
    this.#readyChecks = host ? host.#readyChecks : new Map();
    this.unfencedClient = options.client;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.log = options.log ?? silentLogger;
    this.metrics = options.metrics ?? new MetricRegistry();
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const { leaderElection, http } = options;
    this.#gracePeriod = options.gracePeriod ?? 25_000;
    this.#stopLimit = new StopLimit(clock, this.#gracePeriod);
    this.#elector = leaderElection && new LeaderElector({ ...leaderElection, client, clock, random, log, metrics });
    this.#pool = host ? host.#pool : this.#makePool(options);
    const tenure = this.#elector ? { writeSignal: this.#elector.tenure } : {};
    this.client = trackedClient(client, { ...tenure, fence: this.fence, refusal: notNow });
    this.#leaseClient = trackedClient(client, { ...tenure, fence: () => this.assertLeading(), refusal: notNow });
    this.#endpoint = host ? host.#endpoint : http && new HttpEndpoint(http, this.#routes(http), log);
    if (leaderElection) this.#announceReplacement(leaderElection);
  }

  /** Records an event on the lease that says why all work was restarted. */
  #announceReplacement({ leaseName: name, leaseNamespace: namespace }: LeaderElectionOptions): void {
    const events = this.eventRecorder('controller-runtime');
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
    this.onServerDataReplaced((resource) => {
      const message = `The API server's data was replaced: it was restored from a backup, lost or swapped (detected in ${resource}). All caches are read again before work continues.`;
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

  get serverData(): ServerData {
    return this.#pool;
  }

  onServerDataReplaced(listener: ServerDataListener): void {
    this.#pool.onServerDataReplaced(listener);
  }

  informer<T extends KubeObject>(resource: Resource<T>, request?: InformerRequest<T>): Informer<T> {
    const where = this.#namespace !== undefined && resource.namespaced ? { namespace: this.#namespace } : {};
    const informer = this.#pool.informer(resource, { ...where, ...request });
    this.#asked.add(informer as unknown as Informer<KubeObject>);
    return informer;
  }

  informersOf(resource: Resource): readonly Informer<KubeObject>[] {
    return this.#pool.informersOf(resource);
  }

  add(runnable: Runnable): void {
    if (this.#started) throw new Error(`${runnable.name} cannot be added: the manager is already running`);
    if (this.#runnables.some(({ name }) => name === runnable.name)) {
      throw new Error(`the manager already has a runnable named ${runnable.name}`);
    }
    this.#runnables.push(runnable);
  }

  withLease(election: LeaderElectionOptions, where: { readonly namespace?: string } = {}): Manager {
    const { unfencedClient: client, clock, random, log, metrics } = this;
    const gracePeriod = this.#gracePeriod;
    const options = { client, clock, random, log, metrics, gracePeriod, leaderElection: election, ...where };
    const guest = new ControllerManager(options, this);
    this.add({
      name: `work under the lease ${election.leaseNamespace}/${election.leaseName}`,
      needsLeader: false,
      run: (signal) => guest.run(signal),
    });
    return guest;
  }

  eventRecorder(component: string): EventRecorder {
    const known = this.#recorders.get(component);
    if (known) return known;
    const { clock, random, log, metrics } = this;
    const client = this.#leaseClient;
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

  readonly fence = (): void => {
    this.assertLeading();
    if (this.#pool.doubt !== undefined) throw new ServerDataInDoubt(`nothing is changed: ${this.#pool.doubt}`);
  };

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error('a manager can run only once; create a new one');
    this.#started = true;
    if (this.#host) {
      await this.#runParts(signal);
      return;
    }
    await this.#endpoint?.listen();
    const caches = new RunnableGroup(this.log, this.#stopLimit);
    try {
      caches.start({ name: 'caches', needsLeader: false, run: (stop) => this.#pool.run(stop) });
      await this.#runParts(signal);
    } finally {
      await caches.stop();
      await this.#endpoint?.close();
      this.log.info('manager stopped');
    }
  }

  /** Runs everything except the caches. If one part fails, the others stop. */
  async #runParts(signal: AbortSignal): Promise<void> {
    const always = new RunnableGroup(this.log, this.#stopLimit);
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    always.onFailure = (error) => failed.abort(error);
    for (const runnable of this.#runnables) if (!runnable.needsLeader) always.start(runnable);
    try {
      await cachesSettled(this.#asked, this.clock, stop);
      const lead = (leader: AbortSignal) => this.#runLeaderParts(leader, failed);
      if (this.#elector) await this.#elector.run(stop, lead);
      else await lead(stop);
    } finally {
      await always.stop();
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  async #runLeaderParts(signal: AbortSignal, failed: AbortController): Promise<void> {
    const group = new RunnableGroup(this.log, this.#stopLimit);
    group.onFailure = (error) => failed.abort(error);
    if (!signal.aborted) {
      for (const runnable of this.#runnables) if (runnable.needsLeader) group.start(runnable);
      await new Promise<void>((resolve) => {
        const stop = () => {
          // Aborts in this turn of the event loop, not in a later one: nothing may be written in between.
          group.abort(signal.reason);
          resolve();
        };
        signal.addEventListener('abort', stop, { once: true });
      });
    }
    const late = await group.stop();
    // Writes the remaining events while the lease is still held. If the lease is lost, nothing is written.
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush()));
    if (late.length === 0 || signal.reason instanceof LeadershipLost) return;
    throw new Error(`${late.join(', ')} did not stop within ${this.#gracePeriod} ms`);
  }

  #routes({ metrics = true }: HttpOptions) {
    const all = { status: 200, type: metricsContentType } as const;
    return new Map([
      ['/healthz', () => report(this.health())],
      ['/readyz', () => report(this.readiness())],
      ...(metrics ? [['/metrics', () => ({ ...all, body: this.metrics.render() })] as const] : []),
    ]);
  }
}

function isFrozenByDefault(): boolean {
  return process.env['NODE_ENV'] !== 'production';
}

function report({ ok, text }: HealthReport) {
  return plain(ok ? 200 : 503, text);
}
