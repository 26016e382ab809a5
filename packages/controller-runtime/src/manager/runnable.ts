// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@operator-parts/ports';
import type { StopLimit } from './stop-limit.ts';

/** Something the manager runs: a controller, a server, a periodic task. */
export interface Runnable {
  readonly name: string;
  /** Runs only while the manager holds the lease. */
  readonly needsLeader: boolean;
  /**
   * Runs until `signal` is aborted; then resolves soon: the manager waits no longer than its grace period. A rejection
   * stops the manager; an early end does not.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** Runnables that start and stop together. */
export class RunnableGroup {
  readonly #log: Logger;
  readonly #limit: StopLimit;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Called when one of the runnables fails. */
  onFailure: (error: Error) => void = () => undefined;

  constructor(log: Logger, limit: StopLimit) {
    this.#log = log;
    this.#limit = limit;
  }

  start(runnable: Runnable): void {
    const { name } = runnable;
    this.#running.set(
      name,
      this.#run(runnable).finally(() => this.#running.delete(name)),
    );
  }

  /** Aborts the signal of all. */
  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /**
   * Aborts the signal of all and waits for them. Returns the names of those that have not ended in time: they are
   * abandoned.
   */
  async stop(): Promise<readonly string[]> {
    this.#stop.abort();
    if (await this.#limit.awaits(Promise.all(this.#running.values()))) return [];
    const late = [...this.#running.keys()];
    this.#log.error('some parts did not stop in time; no longer waiting for them', { runnables: late });
    return late;
  }

  async #run(runnable: Runnable): Promise<void> {
    try {
      await runnable.run(this.#stop.signal);
    } catch (cause) {
      if (this.#stop.signal.aborted) {
        this.#log.warn('failed while stopping', { runnable: runnable.name, error: cause });
        return;
      }
      this.#log.error('runnable failed', { runnable: runnable.name, error: cause });
      this.onFailure(new Error(`${runnable.name} failed`, { cause }));
    }
  }
}
