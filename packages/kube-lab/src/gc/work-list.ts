// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@operator-parts/ports';

/** A queue of items to process soon. An item that is added several times before that is processed once. */
export interface WorkList<T> {
  add(key: string, item: T): void;
  close(): void;
}

/** Runs the work after the write that caused it, as real controllers do, which learn of a write through a watch. */
export function createWorkList<T>(log: Logger, process: (item: T) => void): WorkList<T> {
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
        log.error('a controller of the API server failed', { item: key, error });
      }
    }
    if (waiting.size > 0) arm();
  };
  const arm = () => {
    if (armed || closed) return;
    armed = true;
    Promise.resolve().then(drain, () => undefined);
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
