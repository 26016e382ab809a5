// SPDX-License-Identifier: Apache-2.0
import type { Clock, Logger, Timer } from '@etcd-operator/ports';

const firstDelay = 20;
const longestDelay = 30_000;

/**
 * Brings things, named by keys, into the state they should be in: one at a time, each as often as it was asked for since it
 * was last looked at but never twice for one reason, and again after a while if it failed.
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

  /** @param reconcile resolves with the milliseconds after which to look again, if any */
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

  /** Asks for a look at `key`, now or after some milliseconds; a sooner look replaces a later one. */
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
    // The change that asked for the look may be followed by others in the same turn; one look is enough for all.
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
