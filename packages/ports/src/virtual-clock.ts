// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Time that moves only when a test says so. The test vocabulary for everything that waits:
 *
 * ```ts
 * const clock = new VirtualClock();
 * const done = somethingThatSleeps(clock);
 * await clock.advance(10_000);   // fires all timers due within ten virtual seconds, in order
 * ```
 *
 * Guarantees: timers fire in order of due time, then of scheduling; between two timers all pending promise callbacks and
 * I/O callbacks that are ready get their turn, so code under test sees the same interleaving on every run.
 */
export class VirtualClock implements Clock {
  #elapsed = 0;
  #wallOffset: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  /** @param start wall-clock time at which the clock begins. @default 2026-01-01T00:00:00Z */
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

  /** How many timers wait. A test that ends with some left has found a leak. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** When the next timer is due, in milliseconds from now; undefined if none waits. */
  get untilNextTimer(): number | undefined {
    const next = this.#next();
    return next && next.due - this.#elapsed;
  }

  /** Moves time forward, firing what becomes due on the way. */
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

  /** Advances timer by timer until `condition` holds. Fails if it does not within `limit` virtual milliseconds. */
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

  /** Moves the wall clock alone, as an administrator or NTP does; timers and `monotonic` do not notice. */
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

/** Lets promise chains and ready I/O run dry: a few turns of the event loop. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
