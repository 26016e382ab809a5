// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Time that advances only when a test says so, for tests of code that waits:
 *
 * ```ts
 * const clock = new VirtualClock();
 * const done = somethingThatSleeps(clock);
 * await clock.advance(10_000); // fires all timers due within ten virtual seconds, in order
 * ```
 *
 * Guarantees: timers fire in order of due time, then of scheduling; between two timers all pending promise callbacks
 * and ready I/O callbacks run, so that the interleaving is the same in every run.
 */
export class VirtualClock implements Clock {
  #elapsed = 0;
  #wallOffset: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  /** @param start the initial wall-clock time. @default 2026-01-01T00:00:00Z */
  constructor(start: number | string = '2026-01-01T00:00:00Z') {
    this.#wallOffset = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#wallOffset + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  schedule(milliseconds: number, callback: () => void): Timer {
    const entry: Pending = { due: this.#elapsed + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#pending.add(entry);
    return { cancel: () => this.#pending.delete(entry) };
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, milliseconds, signal);
  }

  /** How many timers are waiting. A test that ends with some has found a leak. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** When the next timer is due, in milliseconds from now; undefined if there is none. */
  get untilNextTimer(): number | undefined {
    const next = this.#next();
    return next && next.due - this.#elapsed;
  }

  /** Advances the time and fires due timers. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await settle();
    for (let next = this.#next(); next && next.due <= end; next = this.#next()) {
      this.#elapsed = Math.max(this.#elapsed, next.due);
      this.#pending.delete(next);
      next.callback();
      await settle();
    }
    this.#elapsed = end;
  }

  /** Advances timer by timer until `condition` is true. Fails if it is not within `limit` virtual milliseconds. */
  async advanceUntil(condition: () => boolean, limit = 3_600_000): Promise<void> {
    const end = this.#elapsed + limit;
    await settle();
    while (!condition()) {
      const next = this.#next();
      if (!next || next.due > end)
        throw new Error(`condition not reached within ${limit} virtual ms: ${String(condition)}`);
      await this.advance(next.due - this.#elapsed);
    }
  }

  /** Moves only the wall clock, as an administrator or NTP does; timers and `monotonic` are not affected. */
  jump(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }

  #next(): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.#pending) {
      if (!first || entry.due < first.due || (entry.due === first.due && entry.order < first.order)) first = entry;
    }
    return first;
  }
}

/** Lets promise chains and ready I/O finish: a few turns of the event loop. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
