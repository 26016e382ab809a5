// SPDX-License-Identifier: Apache-2.0
import { beforeAbort } from '../call/interruptible.ts';

/**
 * The parts of one upload in progress, never more than `limit`. The first failure is kept and reported at once; later
 * failures are mostly its consequences and are ignored.
 */
export class PartsInFlight {
  readonly #limit: number;
  readonly #signal: AbortSignal;
  readonly #onFailure: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  #failed: { readonly error: unknown } | undefined;

  /** @param signal ends the waiting, not the parts */
  constructor(limit: number, signal: AbortSignal, onFailure: (error: unknown) => void) {
    this.#limit = limit;
    this.#signal = signal;
    this.#onFailure = onFailure;
  }

  /** The error of the first part that failed. */
  get failure(): unknown {
    return this.#failed?.error;
  }

  /** Starts a part as soon as there is room for it. Throws if a part has failed. */
  async start(send: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await beforeAbort(Promise.race(this.#running), this.#signal);
    this.#throwIfFailed();
    const running = send()
      .catch((error: unknown) => {
        if (this.#failed) return;
        this.#failed = { error };
        this.#onFailure(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits until all parts have been sent. Throws if a part has failed. */
  async drained(): Promise<void> {
    await beforeAbort(this.settled(), this.#signal);
    this.#throwIfFailed();
  }

  /** Waits until no part is in progress any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
