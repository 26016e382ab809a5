// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';

/** A clock whose wall time a test can change, on top of another clock. */
export class LabClock implements Clock {
  readonly #base: Clock;
  #offset = 0;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  schedule(milliseconds: number, callback: () => void, options?: { readonly background?: boolean }): Timer {
    return this.#base.schedule(milliseconds, callback, options);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#base.sleep(milliseconds, signal);
  }

  /** Moves the wall clock; timers are not affected. */
  jump(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}
