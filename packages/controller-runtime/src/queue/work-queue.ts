// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';
import type { MetricRegistry } from '../metrics/registry.ts';
import { CachedClock } from './cached-clock.ts';
import { none } from './key-index.ts';
import { KeyTable } from './key-table.ts';
import { type Lane, laneOf, type Priority, priorityOf } from './priority.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';
import { defaultRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { ReadyLanes } from './ready-lanes.ts';
import { TimerHeap } from './timer-heap.ts';
import { Waiters } from './waiters.ts';

export interface WorkQueueOptions<K> {
  readonly clock: Clock;
  /** The label of its metrics, usually the controller's name. */
  readonly name: string;
  /** @default none: nothing is measured */
  readonly metrics?: MetricRegistry;
  /** @default defaultRateLimiter: 5 ms to 1000 s per key, 10 a second for all keys of a tenant */
  readonly rateLimiter?: RateLimiter<K>;
  /** How long a key of low priority may be passed over, in milliseconds. @default 60000 */
  readonly patience?: number;
  /** The tenant of a key: within a priority, tenants take turns. @default all keys have the same tenant */
  readonly tenantOf?: (key: K) => string;
  /**
   * While this many keys are being processed, only keys of tenants that have none in progress are handed out.
   * @default no such limit
   */
  readonly shared?: number;
}

export interface AddOptions {
  /** @default 'normal' */
  readonly priority?: Priority;
}

export interface RetryOptions extends AddOptions {
  /** The delay depends on this key only: it does not use the bucket that all keys share. @default false */
  readonly alone?: boolean;
  /** Maximum delay, in milliseconds. @default none: the rate limiter decides */
  readonly limit?: number;
}

/** How many idle keys are remembered at least. */
const mostAtRest = 1024;

/**
 * The work queue between handlers and workers.
 *
 * Guarantees:
 * - a key waits at most once, however often it is added (deduplication), with the best priority and the shortest delay
 *   requested; adding it without a delay ends a running delay;
 * - a key is never handed out twice at once: if added while it is being processed, it is handed out again after `done`;
 * - nothing added before `shutDown` is lost;
 * - within a priority tenants take turns, each first in, first out; nothing waits for long once `patience` is over;
 * - if there are more workers than `shared`, no tenant waits for another tenant, however long the keys of the other
 *   tenant are processed;
 * - memory grows with the number of different keys, never with the number of additions, and all delays use one timer.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #turn: CachedClock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #limiter: RateLimiter<K>;
  /** Includes some idle keys, because keys often return. */
  readonly #table: KeyTable<K>;
  readonly #ready: ReadyLanes<K>;
  readonly #delayed: TimerHeap<K>;
  readonly #shared: number;
  readonly #waiters = new Waiters<K | undefined>();
  readonly #drains = new Waiters<undefined>();
  #timer: Timer | undefined;
  #timerDue = Number.POSITIVE_INFINITY;
  /** The slot that was handed out last. */
  #recent = none;
  #processing = 0;
  /** How many of the keys in `#processing` are stuck and no longer count. */
  #stuck = 0;
  #shuttingDown = false;

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#turn = new CachedClock(options.clock);
    this.#limiter = options.rateLimiter ?? defaultRateLimiter(options.clock, options.tenantOf);
    this.#table = new KeyTable(options.tenantOf);
    this.#delayed = new TimerHeap(this.#table);
    this.#shared = options.shared ?? Number.POSITIVE_INFINITY;
    this.#ready = new ReadyLanes(this.#table, options.patience ?? 60_000);
    this.#metrics = options.metrics && queueMetrics(options.metrics, options.name);
    options.metrics?.onCollect(() => this.#measureUnfinished());
  }

  /** Keys that are ready and not yet handed out. */
  get length(): number {
    return this.#ready.size;
  }

  /** Keys handed out and not yet done. */
  get processing(): number {
    return this.#processing;
  }

  /** Keys whose delay has not passed. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** True from the first `shutDown` or `stop` on. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Adds `key` to be processed now. */
  add(key: K, options?: AddOptions): void {
    if (this.#shuttingDown) return;
    this.#makeReady(this.#table.slotOf(key), laneOf[options?.priority ?? 'normal']);
  }

  /** Adds `key` to be processed in `milliseconds`, or earlier if it is waiting already. */
  addAfter(key: K, milliseconds: number, options?: AddOptions): void {
    if (this.#shuttingDown) return;
    // An invalid number of milliseconds would block all other delays.
    if (!(milliseconds > 0)) {
      this.add(key, options);
      return;
    }
    const slot = this.#table.slotOf(key);
    if (this.#table.isReady(slot)) return;
    const due = this.#clock.monotonic() + milliseconds;
    this.#setLane(slot, laneOf[options?.priority ?? 'normal']);
    if (!this.#table.isDelayed(slot) || due < this.#delayed.dueOf(slot)) this.#delayed.schedule(slot, due);
    this.#arm();
  }

  /** Adds `key` after the delay of the rate limiter. Returns that delay in milliseconds. */
  addRateLimited(key: K, options?: RetryOptions): number {
    const delay = Math.min(this.#limiter.when(key, options?.alone), options?.limit ?? Number.POSITIVE_INFINITY);
    this.#metrics?.retries.inc();
    this.addAfter(key, delay, options);
    return delay;
  }

  /** `key` succeeded: the count of its failures starts again. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  /** How often `key` failed in a row. */
  failures(key: K): number {
    return this.#limiter.failures(key);
  }

  /** The next key if one is ready and may be handed out. The caller must call `done`. */
  tryGet(): K | undefined {
    if (this.#ready.size === 0) return undefined;
    const now = this.#turn.now();
    const isCrowded = this.#processing - this.#stuck >= this.#shared;
    const slot = isCrowded ? this.#ready.shiftNewcomer(now) : this.#ready.shift(now);
    if (slot < 0) return undefined;
    this.#table.tenantAt(slot).underWay++;
    this.#table.setReady(slot, false);
    this.#table.setProcessing(slot, true);
    this.#recent = slot;
    this.#processing++;
    this.#metrics?.depth.set(this.#ready.size);
    this.#metrics?.queueDuration.observe((now - this.#table.since(slot)) / 1000);
    this.#table.setSince(slot, now);
    return this.#table.keyAt(slot);
  }

  /**
   * The next key, as soon as there is one. The caller must call `done`. Resolves with `undefined` when the queue is
   * shut down and empty, or when `signal` is aborted.
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const key = this.tryGet();
    if (key !== undefined || this.#finished()) return Promise.resolve(key);
    return this.#waiters.wait(undefined, signal);
  }

  /** The priority at which `key` was handed out; only valid while it is being processed. */
  priority(key: K): Priority {
    const slot = this.#table.find(key);
    return slot < 0 ? 'normal' : priorityOf[this.#table.laneAt(slot)];
  }

  /**
   * Call it when a key takes so long that it should no longer count as being processed, neither in total nor for its
   * tenant.
   */
  markStuck(key: K): void {
    const slot = this.#table.find(key);
    if (slot < 0 || !this.#table.isProcessing(slot) || this.#table.isStuck(slot)) return;
    this.#table.setStuck(slot, true);
    this.#stuck++;
    this.#table.tenantAt(slot).underWay--;
    this.#handOut();
  }

  /** Ends the processing of a key. */
  done(key: K): void {
    // A single worker always finishes the key it got last; this saves a lookup.
    const isRecent = this.#recent >= 0 && this.#table.keyAt(this.#recent) === key;
    const slot = isRecent ? this.#recent : this.#table.find(key);
    if (slot < 0 || !this.#table.isProcessing(slot)) return;
    this.#table.setProcessing(slot, false);
    this.#processing--;
    if (this.#stuck > 0 && this.#table.isStuck(slot)) {
      this.#table.setStuck(slot, false);
      this.#stuck--;
    } else this.#table.tenantAt(slot).underWay--;
    this.#metrics?.workDuration.observe((this.#turn.now() - this.#table.since(slot)) / 1000);
    if (this.#table.isReady(slot)) this.#enter(slot);
    else if (this.#table.size > mostAtRest) this.#sweep();
    if (this.#ready.size > 0) this.#handOut();
    if (this.#shuttingDown) this.#settle();
  }

  /** Accepts no more keys and drops delayed ones; ready keys are still handed out. */
  shutDown(): void {
    this.#shuttingDown = true;
    this.#timer?.cancel();
    this.#delayed.clear();
    this.#settle();
  }

  /** Like `shutDown`; resolves when all ready keys have been handed out and finished, or `signal` is aborted. */
  drain(signal?: AbortSignal): Promise<void> {
    this.shutDown();
    if (this.#idle() || signal?.aborted) return Promise.resolve();
    return this.#drains.wait(undefined, signal);
  }

  /** Like `shutDown`, but drops ready keys too: nothing more is handed out. */
  stop(): void {
    for (let slot = 0; slot < this.#table.size; slot++) this.#table.setReady(slot, false);
    this.#ready.clear();
    this.shutDown();
  }

  /** Removes idle keys once they outnumber all other keys by far, so that the cost does not matter. */
  #sweep(): void {
    const busy = this.#ready.size + this.#delayed.size + this.#processing;
    if (this.#table.size < 4 * busy) return;
    const renumbered = this.#table.compact();
    this.#ready.renumber(renumbered);
    this.#delayed.renumber(renumbered);
    this.#recent = none;
  }

  /** Of the priorities requested for a delayed key, the best one counts. */
  #setLane(slot: number, lane: Lane): void {
    if (this.#table.isDelayed(slot) && this.#table.laneAt(slot) < lane) return;
    this.#table.setLane(slot, lane);
  }

  #makeReady(slot: number, lane: Lane): void {
    if (this.#table.isReady(slot)) {
      this.#raise(slot, lane);
      return;
    }
    this.#setLane(slot, lane);
    this.#delayed.remove(slot);
    this.#table.setReady(slot, true);
    this.#metrics?.adds.inc();
    // A key that is being processed is not handed out again before `done`.
    if (!this.#table.isProcessing(slot)) this.#enter(slot);
  }

  #raise(slot: number, lane: Lane): void {
    if (lane >= this.#table.laneAt(slot)) return;
    if (this.#table.isProcessing(slot)) this.#table.setLane(slot, lane);
    else this.#ready.raise(slot, lane);
  }

  #enter(slot: number): void {
    this.#table.setSince(slot, this.#turn.now());
    this.#ready.push(slot);
    this.#metrics?.depth.set(this.#ready.size);
    this.#handOut();
  }

  /** Hands out ready keys to the waiting workers. */
  #handOut(): void {
    while (this.#waiters.size > 0) {
      const key = this.tryGet();
      if (key === undefined) return;
      this.#waiters.release(key);
    }
  }

  /**
   * Sets the one timer to the earliest delay. A timer that is already set to an earlier time is kept: when it fires, it
   * checks again.
   */
  #arm(): void {
    const { firstDue } = this.#delayed;
    if (firstDue >= this.#timerDue) return;
    this.#timer?.cancel();
    this.#timerDue = firstDue;
    this.#timer = this.#clock.schedule(firstDue - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    while (this.#delayed.firstDue <= now) {
      const first = this.#delayed.peek();
      this.#makeReady(first, this.#table.laneAt(first));
    }
    this.#arm();
  }

  #finished(): boolean {
    if (!this.#shuttingDown || this.#ready.size > 0) return false;
    if (this.#processing === 0) return true;
    for (let slot = 0; slot < this.#table.size; slot++) {
      if (this.#table.isProcessing(slot) && this.#table.isReady(slot)) return false;
    }
    return true;
  }

  #idle(): boolean {
    return this.#ready.size === 0 && this.#processing === 0;
  }

  #settle(): void {
    if (this.#finished()) this.#waiters.releaseAll(undefined);
    if (this.#shuttingDown && this.#idle()) this.#drains.releaseAll(undefined);
  }

  #measureUnfinished(): void {
    const now = this.#clock.monotonic();
    let total = 0;
    let longest = 0;
    for (let slot = 0; this.#processing > 0 && slot < this.#table.size; slot++) {
      if (!this.#table.isProcessing(slot)) continue;
      const seconds = (now - this.#table.since(slot)) / 1000;
      total += seconds;
      longest = Math.max(longest, seconds);
    }
    this.#metrics?.unfinishedWork.set(total);
    this.#metrics?.longestRunning.set(longest);
  }
}
