// SPDX-License-Identifier: Apache-2.0

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: (() => void) | undefined;
}

/** Callers that wait for the same thing, served in order of arrival. Each can stop waiting by its own signal. */
export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when released, or with `ifAborted` as soon as `signal` is aborted. */
  wait(ifAborted: T, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.resolve(ifAborted);
    return new Promise((resolve) => {
      const onAbort = signal && (() => this.#end(waiter, ifAborted));
      const waiter: Waiter<T> = { resolve, signal, onAbort };
      this.#waiting.add(waiter);
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Releases the first in line with `value`. */
  release(value: T): void {
    const first = this.#waiting.values().next();
    if (!first.done) this.#end(first.value, value);
  }

  releaseAll(value: T): void {
    for (const waiter of this.#waiting) this.#end(waiter, value);
  }

  #end(waiter: Waiter<T>, value: T): void {
    if (!this.#waiting.delete(waiter)) return;
    if (waiter.onAbort) waiter.signal?.removeEventListener('abort', waiter.onAbort);
    waiter.resolve(value);
  }
}
