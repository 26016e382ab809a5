// SPDX-License-Identifier: Apache-2.0
import type { Clock, Logger } from '@etcd-operator/ports';

/** Things to be looked at soon, each once however often it is added meanwhile. */
export interface WorkList<T> {
  add(key: string, item: T): void;
  close(): void;
}

export interface WorkListOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long work waits, in milliseconds. 0: until the write that caused it has been answered. */
  readonly delay: number;
}

/** A work list that runs by itself after the delay, so that controllers follow what they watch as real ones do: a little later. */
export function createWorkList<T>(options: WorkListOptions, process: (item: T) => void): WorkList<T> {
  const waiting = new Map<string, T>();
  let armed = false;
  let closed = false;
  const drain = () => {
    armed = false;
    for (const [key, item] of [...waiting]) {
      waiting.delete(key);
      if (closed) return;
      try {
        process(item);
      } catch (error) {
        options.log.error('a controller of the API server failed', { item: key, error });
      }
    }
    if (waiting.size > 0) arm();
  };
  const arm = () => {
    if (armed || closed) return;
    armed = true;
    if (options.delay > 0) options.clock.schedule(options.delay, drain, { background: true });
    else Promise.resolve().then(drain, () => undefined);
  };
  return {
    add(key, item) {
      waiting.set(key, item);
      arm();
    },
    close() {
      closed = true;
      waiting.clear();
    },
  };
}
