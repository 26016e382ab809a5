// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';
import { BackupError } from '../backup-fault.ts';
import type { TimeLimit } from './take-backup.ts';

/** A time limit that can be paused. It also ends when `outer` aborts. */
export class PausableLimit implements TimeLimit, Disposable {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  readonly #totalMs: number;
  #leftMs: number;
  #since = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, milliseconds: number, outer: AbortSignal) {
    this.#clock = clock;
    this.#totalMs = milliseconds;
    this.#leftMs = milliseconds;
    this.signal = AbortSignal.any([outer, this.#over.signal]);
    this.resume();
  }

  pause(): void {
    if (!this.#timer) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#leftMs -= this.#clock.monotonic() - this.#since;
  }

  resume(): void {
    if (this.#timer) return;
    this.#since = this.#clock.monotonic();
    this.#timer = this.#clock.schedule(Math.max(0, this.#leftMs), () => this.#over.abort(this.#expired()));
  }

  /** The error to report instead of the errors that the abort caused; undefined while there is time left. */
  get expiry(): BackupError | undefined {
    return this.#over.signal.aborted ? this.#expired() : undefined;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #expired(): BackupError {
    const seconds = Math.round(this.#totalMs / 1000);
    const message = `the backup did not finish within ${seconds} s. If it needs more time, raise spec.backupPolicy.timeoutInSecond`;
    return new BackupError('passing', 'Timeout', message);
  }
}
