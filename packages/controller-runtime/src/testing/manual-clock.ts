// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from '@operator-parts/ports';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Virtual time without a turn of the event loop: for property tests of synchronous code. */
export class ManualClock implements Clock {
  #elapsed = 0;
  #order = 0;
  readonly #pending = new Set<Pending>();

  now(): number {
    return this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  get pendingTimers(): number {
    return this.#pending.size;
  }

  schedule(milliseconds: number, callback: () => void): Timer {
    const entry = { due: this.#elapsed + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#pending.add(entry);
    return { cancel: () => this.#pending.delete(entry) };
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, milliseconds, signal);
  }

  /** Advances the time and fires due timers, in order. */
  tick(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#elapsed = next.due;
      this.#pending.delete(next);
      next.callback();
    }
    this.#elapsed = end;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.#pending) {
      if (entry.due > end) continue;
      if (!first || entry.due < first.due || (entry.due === first.due && entry.order < first.order)) first = entry;
    }
    return first;
  }
}
