// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@operator-parts/ports';

/** A queue of items to process soon, each once however often it is added. */
export interface WorkList<T> {
  add(key: string, item: T): void;
  close(): void;
}

/** A work list that runs after the write that caused the work: controllers follow what they watch, as real ones do. */
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
