// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, type KubeObject, parseKey, type Resource } from '@operator-parts/kube';
import { type Clock, type Logger, nextTurn } from '@operator-parts/ports';
import type { Informer } from '../informer/informer.ts';
import { fenceOf, type ServerData } from '../informer/server-data.ts';
import type { MetricRegistry } from '../metrics/registry.ts';
import type { Priority } from '../queue/priority.ts';
import type { RateLimiter } from '../queue/rate-limiter.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { type ControllerMetrics, controllerMetrics } from './controller-metrics.ts';
import { OwnWrites } from './own-writes.ts';
import { asReconciler, type ReconcileFunction, type Reconciler } from './reconciler.ts';
import { isTerminal, type Result, terminal } from './result.ts';
import { RunContext } from './run-context.ts';
import { type Run, Running } from './running.ts';
import { SynchronousWork } from './synchronous-work.ts';

export interface ControllerOptions {
  /** Unique within the manager; a label of its metrics. */
  readonly name: string;
  /** What its requests refer to: the kind in log lines. */
  readonly kind: string;
  readonly reconciler: Reconciler | ReconcileFunction;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** The caches it reads; workers start when all of them are synced. */
  readonly informers: readonly Informer<KubeObject>[];
  /** All caches of a kind, to check whether they contain the controller's own writes. */
  readonly informersOf: (resource: Resource) => readonly Informer<KubeObject>[];
  /** Throws if writes are no longer allowed; called before every write. @default none: writes are always allowed */
  readonly fence?: () => void;
  /**
   * Whether the caches can be trusted. If not, nothing is reconciled, and a reconcile in progress writes nothing.
   * @default always
   */
  readonly serverData?: ServerData;
  /** How many requests are reconciled concurrently. @default 1 */
  readonly concurrency?: number;
  /**
   * How many more requests may be reconciled concurrently, each for a tenant that has none in progress. So slow or
   * numerous requests of one tenant do not delay the requests of other tenants.
   * @default 0
   */
  readonly spareConcurrency?: number;
  /** The tenant of a request: tenants take turns. @default its namespace */
  readonly tenantOf?: (request: string) => string;
  /** @default 5 ms to 1000 s per request, 10 a second (100 at once) for all requests of a tenant */
  readonly rateLimiter?: RateLimiter<string>;
  /**
   * After this time a reconcile is reported as stuck, and its worker takes other requests, in milliseconds.
   * @default 60000
   */
  readonly stuckAfter?: number;
  /** After this time the signal of a reconcile is aborted, in milliseconds. @default 600000 */
  readonly timeout?: number;
  /**
   * How long a request waits at most for its last write to appear in a live cache, in milliseconds. While the cache is
   * disconnected, the request waits longer: no decision may be based on outdated data.
   * @default 120000
   */
  readonly ownWriteLimit?: number;
  /** How long stopping waits for reconciles in progress, in milliseconds. @default 20000 */
  readonly gracePeriod?: number;
  /** Runs only while the manager holds the lease. @default true */
  readonly needsLeader?: boolean;
}

interface Failure {
  readonly type: 'error';
  readonly error: unknown;
}

/** The retry delay after a conflict, however often conflicts occur, in milliseconds. */
const longestAfterConflict = 1000;
/**
 * How often a request that waits for its own write is checked, in addition to every change of the cache, in
 * milliseconds.
 */
const heldBackRecheck = 5000;
/** How often a request is checked while the caches cannot be trusted, in milliseconds. */
const doubtRecheck = 1000;

/**
 * Takes requests from its queue and reconciles them: several concurrently, but never the same request twice at once. A
 * reconcile that throws is retried later; one that hangs is reported and its worker is replaced. Neither delays other
 * requests. The event loop gets a turn every few milliseconds, however long the queue is.
 */
export class Controller {
  readonly name: string;
  readonly needsLeader: boolean;
  /** The queue to which handlers add requests: `namespace/name`. */
  readonly queue: WorkQueue<string>;
  readonly #options: ControllerOptions;
  readonly #reconciler: Reconciler;
  readonly #metrics: ControllerMetrics;
  readonly #log: Logger;
  readonly #ownWrites: OwnWrites;
  readonly #running: Running;
  readonly #workers = new Set<Promise<void>>();
  readonly #synchronousWork = new SynchronousWork();
  #signal: AbortSignal | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.name = options.name;
    this.needsLeader = options.needsLeader ?? true;
    const { tenantOf = namespaceOf, concurrency: shared = 1 } = options;
    this.queue = new WorkQueue({ ...options, tenantOf, shared });
    this.#reconciler = asReconciler(options.reconciler);
    this.#log = options.log.child({ controller: options.name });
    this.#metrics = controllerMetrics(options.metrics, options.name);
    this.#metrics.maxConcurrent.set(options.concurrency ?? 1);
    options.metrics.onCollect(() => {
      this.#metrics.activeWorkers.set(this.#running.size);
      this.#metrics.stuck.set(this.#running.stuck);
    });
    this.#ownWrites = this.#makeOwnWrites();
    this.#running = this.#makeRunning();
  }

  /**
   * Runs until `signal` is aborted; resolves when all reconciles in progress have ended or the grace period is over.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, concurrency = 1, spareConcurrency = 0, gracePeriod = 20_000, informers } = this.#options;
    this.#log.info('waiting for informer caches to sync', { caches: informers.map((informer) => informer.name) });
    await Promise.all(informers.map((informer) => informer.whenSynced(signal)));
    if (!signal.aborted) {
      this.#signal = signal;
      this.#log.info('starting workers', { concurrency });
      for (let worker = 0; worker < concurrency + spareConcurrency; worker++) this.#startWorker(signal);
      await this.#aborted(signal);
    }
    this.queue.stop();
    const grace = new AbortController();
    const patience = clock.sleep(gracePeriod, grace.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#workers), patience]);
    grace.abort();
    if (this.#running.size > 0)
      this.#log.error('reconciliations did not finish in time', { count: this.#running.size });
    this.#log.info('stopped workers');
  }

  /**
   * Resolves when `signal` is aborted. Aborts all reconciles in progress in the same turn of the event loop, so that
   * nothing is written after the signal.
   */
  #aborted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stop = () => {
        this.#running.abort(signal.reason);
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #startWorker(signal: AbortSignal): void {
    const worker = this.#work(signal).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(signal: AbortSignal): Promise<void> {
    const next = () => this.queue.tryGet() ?? this.queue.get(signal);
    for (let request = await next(); request !== undefined; request = await next()) {
      // A request that was handed out at the moment of the stop is not started any more.
      if (signal.aborted) break;
      const run = this.#running.begin(request);
      try {
        await this.#process(request, run);
      } catch (error) {
        this.#log.error('controller failed to handle a result', { object: this.#describe(request), error });
      }
      this.#running.end(run);
      this.queue.done(request);
      if (this.#synchronousWork.isLong(run.startedAt)) await nextTurn();
      // The reconcile took too long, and another worker has taken the place of this one.
      if (run.stuck) return;
    }
  }

  async #process(request: string, run: Run): Promise<void> {
    const wait = this.#mustWait(request);
    if (wait !== undefined) {
      this.#metrics.heldBack.inc();
      this.queue.addAfter(request, wait, { priority: this.queue.priority(request) });
      return;
    }
    const result = await this.#reconcile(request, run);
    this.#metrics.duration.observe((this.#options.clock.monotonic() - run.startedAt) / 1000);
    this.#conclude(request, result);
  }

  /** Milliseconds until this request should be checked again; undefined if it can be reconciled now. */
  #mustWait(request: string): number | undefined {
    if (this.#options.serverData?.doubt !== undefined) return doubtRecheck;
    return this.#ownWrites.isBehind(request) ? heldBackRecheck : undefined;
  }

  /** The fence of one reconcile: it throws once the decisions of the reconcile must not be carried out any more. */
  #fence(): () => void {
    const { fence, serverData } = this.#options;
    if (!serverData) return fence ?? (() => undefined);
    const sameServerData = fenceOf(serverData);
    return () => {
      fence?.();
      sameServerData();
    };
  }

  async #reconcile(request: string, run: Run): Promise<Result | Failure> {
    const context = new RunContext({
      signal: run.signal,
      failures: this.queue.failures(request),
      client: this.#options.client,
      fence: this.#fence(),
      log: this.#log,
      object: this.#describe(request),
      writes: {
        wrote: (resource, key, object) => this.#ownWrites.wrote(request, resource, key, object),
        deleted: (resource, key, answer) => this.#ownWrites.deleted(request, resource, key, answer),
      },
    });
    try {
      return await this.#reconciler.reconcile(parseKey(request), context);
    } catch (error) {
      return isTerminal(error) && error instanceof Error ? terminal(error) : { type: 'error', error };
    }
  }

  #conclude(request: string, result: Result | Failure): void {
    const priority = this.queue.priority(request);
    switch (result.type) {
      case 'done':
        this.queue.forget(request);
        this.#metrics.total.success.inc();
        return;
      case 'requeueAfter':
        // Without a delay, the retries of this request would block everything else: it is retried with growing delays.
        if (!(result.milliseconds > 0)) {
          this.#requeue(request, priority);
          return;
        }
        this.queue.forget(request);
        this.queue.addAfter(request, result.milliseconds, { priority });
        this.#metrics.total.requeue_after.inc();
        return;
      case 'requeue':
        this.#requeue(request, priority);
        return;
      case 'terminal':
        this.queue.forget(request);
        this.#metrics.total.terminal.inc();
        this.#metrics.terminalErrors.inc();
        this.#log.error('reconciliation failed and is not retried', {
          object: this.#describe(request),
          error: result.error,
        });
        return;
      case 'error':
        this.#retry(request, result.error, priority);
    }
  }

  #requeue(request: string, priority: Priority): void {
    this.queue.addRateLimited(request, { priority, alone: true });
    this.#metrics.total.requeue.inc();
  }

  #retry(request: string, error: unknown, priority: Priority): void {
    const failures = this.queue.failures(request) + 1;
    // A conflict means that another client wrote first. The retry sees that write, so a conflict is not a failure.
    const isConflict = isKubeError(error, 'Conflict');
    const limit = isConflict ? { alone: true, limit: longestAfterConflict } : {};
    const delay = this.queue.addRateLimited(request, { priority, ...limit });
    this.#metrics.total.error.inc();
    this.#metrics.errors.inc();
    if (this.queue.shuttingDown) return;
    const fields = { object: this.#describe(request), failures, retryIn: Math.round(delay), error };
    if (isConflict) this.#log.debug('reconcile conflicted', fields);
    else this.#log.warn('reconcile failed', fields);
  }

  #describe(request: string): string {
    return `${this.#options.kind} ${request}`;
  }

  #makeOwnWrites(): OwnWrites {
    const { clock, informersOf, ownWriteLimit } = this.#options;
    return new OwnWrites({
      clock,
      informersOf,
      limit: ownWriteLimit ?? 120_000,
      onCaughtUp: (request) => this.queue.add(request, { priority: 'high' }),
      onGivenUp: (request, resource) =>
        this.#log.warn('the cache still does not contain the last write of this controller; reconciling anyway', {
          object: this.#describe(request),
          resource,
        }),
    });
  }

  #makeRunning(): Running {
    const { clock, stuckAfter, timeout } = this.#options;
    return new Running({
      clock,
      stuckAfter: stuckAfter ?? 60_000,
      timeout: timeout ?? 600_000,
      onStuck: (run) => {
        this.#log.error('reconciliation is stuck; other objects are reconciled meanwhile', {
          object: this.#describe(run.request),
        });
        this.queue.markStuck(run.request);
        if (this.#signal && !this.#signal.aborted) this.#startWorker(this.#signal);
      },
      onTimeout: (run) =>
        this.#log.error('reconciliation took too long and was aborted', { object: this.#describe(run.request) }),
    });
  }
}

/** Empty for cluster-scoped objects. */
function namespaceOf(request: string): string {
  return request.slice(0, Math.max(0, request.indexOf('/')));
}
