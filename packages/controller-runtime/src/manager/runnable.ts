// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@etcd-operator/ports';

/** Something the manager runs: a controller, a server, a periodic task. */
export interface Runnable {
  readonly name: string;
  /** Runs only while the manager holds the lease. */
  readonly needsLeader: boolean;
  /** Works until `signal` is aborted; then resolves. Rejecting stops the manager; ending early does not. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runnables that are started and stopped together. */
export class RunnableGroup {
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** One of them failed. */
  onFailure: (error: Error) => void = () => undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  start(runnable: Runnable): void {
    const run = this.#run(runnable).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Tells all to stop. */
  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Tells all to stop and waits for them. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
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
