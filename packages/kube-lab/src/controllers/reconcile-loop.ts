// SPDX-License-Identifier: Apache-2.0
import type { Clock, Logger, Timer } from '@operator-parts/ports';

const firstDelay = 20;
const longestDelay = 30_000;

/**
 * Reconciles keys one at a time. A key that is enqueued several times before its turn is reconciled once. If a
 * reconciliation fails, it is repeated after a delay.
 */
export class ReconcileLoop {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #reconcile: (key: string) => Promise<number | undefined>;
  readonly #queue = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #running = false;
  #closed = false;

  /** @param reconcile resolves with the milliseconds until the next reconciliation, if any */
  constructor(options: {
    readonly name: string;
    readonly clock: Clock;
    readonly log: Logger;
    readonly reconcile: (key: string) => Promise<number | undefined>;
  }) {
    this.#name = options.name;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#reconcile = options.reconcile;
  }

  /** Enqueues `key`, now or after some milliseconds. Replaces a delay that was set for the key before. */
  enqueue(key: string, delay = 0): void {
    if (this.#closed) return;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    if (delay > 0) {
      this.#timers.set(
        key,
        this.#clock.schedule(delay, () => this.enqueue(key), { background: true }),
      );
      return;
    }
    this.#queue.add(key);
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#queue.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // More changes may follow in the same turn of the event loop; one reconciliation handles all of them.
    await Promise.resolve();
    for (const key of this.#queue) {
      this.#queue.delete(key);
      const delay = await this.#once(key);
      if (delay !== undefined && !this.#queue.has(key)) this.enqueue(key, delay);
    }
    this.#running = false;
  }

  async #once(key: string): Promise<number | undefined> {
    try {
      const again = await this.#reconcile(key);
      this.#failures.delete(key);
      return again;
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#log.debug('controller will try again', { controller: this.#name, key, failures, error });
      return Math.min(firstDelay * 2 ** (failures - 1), longestDelay);
    }
  }
}
