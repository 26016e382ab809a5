// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  isCancelled: boolean;
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
  /** A binary heap of timers: the first is due next. A cancelled timer stays in the heap until it is the first. */
  readonly #heap: Pending[] = [];
  #waiting = 0;

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
    const due = this.#elapsed + Math.max(0, milliseconds);
    const entry: Pending = { due, order: this.#order++, callback, isCancelled: false };
    this.#push(entry);
    this.#waiting++;
    return {
      cancel: () => {
        if (!entry.isCancelled) this.#waiting--;
        entry.isCancelled = true;
      },
    };
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, milliseconds, signal);
  }

  /** How many timers are waiting. A test that ends with some has found a leak. */
  get pendingTimers(): number {
    return this.#waiting;
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
      this.#fire(next);
      await settle();
    }
    this.#elapsed = end;
  }

  /**
   * Moves time to the next timer and fires it. Unlike `advance`, it does not let the promise callbacks run that follow:
   * the caller has to, with `settle`.
   */
  fireNext(): void {
    const next = this.#next();
    if (next) this.#fire(next);
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

  #fire(next: Pending): void {
    this.#elapsed = Math.max(this.#elapsed, next.due);
    this.#pop();
    next.isCancelled = true;
    this.#waiting--;
    next.callback();
  }

  #next(): Pending | undefined {
    while (this.#heap[0]?.isCancelled) this.#pop();
    return this.#heap[0];
  }

  #push(entry: Pending): void {
    let at = this.#heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above];
      if (!parent || isBefore(parent, entry)) break;
      this.#heap[at] = parent;
      at = above;
    }
    this.#heap[at] = entry;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    let at = 0;
    for (let below = 1; below < this.#heap.length; below = 2 * at + 1) {
      const [left, right] = [this.#heap[below], this.#heap[below + 1]];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || isBefore(last, child)) break;
      this.#heap[at] = child;
      at = child === right ? below + 1 : below;
    }
    this.#heap[at] = last;
  }
}

function isBefore(a: Pending, b: Pending): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/** Lets promise chains and ready I/O finish: a few turns of the event loop. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
