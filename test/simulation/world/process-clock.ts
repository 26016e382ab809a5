// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from '@operator-parts/ports';

/**
 * The clock of one process: its wall time can be wrong, it stands still while the process is stopped (SIGSTOP), and nothing happens by
 * it any more once the process is dead.
 */
export class ProcessClock implements Clock {
  readonly #base: Clock;
  #offset = 0;
  #state: 'runs' | 'stopped' | 'dead' = 'runs';
  readonly #late: (() => void)[] = [];
  readonly #timers = new Set<Timer>();

  constructor(base: Clock, offset = 0) {
    this.#base = base;
    this.#offset = offset;
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  schedule(milliseconds: number, callback: () => void): Timer {
    const timer = this.#base.schedule(milliseconds, () => {
      this.#timers.delete(timer);
      this.whenRunning(callback);
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        timer.cancel();
        const late = this.#late.indexOf(callback);
        if (late >= 0) this.#late.splice(late, 1);
      },
    };
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, milliseconds, signal);
  }

  jump(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Runs something now, when the process goes on, or never. */
  whenRunning(callback: () => void): void {
    if (this.#state === 'runs') callback();
    else if (this.#state === 'stopped') this.#late.push(callback);
  }

  /** The value, as the process gets it: later if it is stopped, never if it is dead. */
  deliver<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.whenRunning(() => resolve(value)),
        (error: unknown) => this.whenRunning(() => reject(error)),
      );
    });
  }

  stop(): void {
    if (this.#state === 'runs') this.#state = 'stopped';
  }

  continue(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'runs';
    for (const callback of this.#late.splice(0)) this.schedule(0, callback);
  }

  kill(): void {
    this.#state = 'dead';
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#late.length = 0;
  }
}
