// SPDX-License-Identifier: Apache-2.0
import { beforeAbort } from '../call/interruptible.ts';

/**
 * Makes one call to the file system, when it is its turn. If the caller has stopped waiting, `late` gets the result.
 */
export type OnVolume = <T>(call: () => Promise<T>, late?: (result: T) => Promise<unknown>) => Promise<T>;

/**
 * Calls to file systems, never more than `limit` at once. A call cannot be cancelled: if a volume does not answer, the
 * call keeps one of the few threads of Node, which look-ups of host names and other files need, too. An aborted caller
 * stops waiting, but its slot stays in use until the system has answered.
 */
export class VolumeCalls {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls whose callers stop waiting when this signal is aborted. Without a signal they always wait. */
  until(signal: AbortSignal | undefined): OnVolume {
    return async (call, late) => {
      signal?.throwIfAborted();
      const made = this.#make(call, signal);
      if (!signal) return made;
      try {
        return await beforeAbort(made, signal);
      } catch (error) {
        // The caller that would use the opened file has stopped waiting.
        if (late && signal.aborted) void made.then(late).catch(() => {});
        throw error;
      }
    };
  }

  async #make<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal?.throwIfAborted();
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** Node's thread pool for blocking calls. */
const threads = Number(process.env['UV_THREADPOOL_SIZE']) || 4;

/**
 * The limit for all directories of this process: half of the threads, so that a volume that does not answer never uses
 * all of them.
 */
export const volumeCalls = new VolumeCalls(Math.max(1, Math.floor(threads / 2)));
