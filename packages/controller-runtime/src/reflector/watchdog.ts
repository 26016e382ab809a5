// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import type { Clock, Timer } from '@operator-parts/ports';

/**
 * Aborts a request that has become idle, because a half-open connection never ends. There is one timer: when it fires,
 * it checks how long the request has been idle. So `touch` is cheap enough for each event.
 */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onParentAbort = () => this.#controller.abort(this.#parent.reason);
  #timer: Timer;
  #lastContact: number;

  constructor(clock: Clock, limit: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#limit = limit;
    this.#parent = parent;
    this.#lastContact = clock.monotonic();
    if (parent.aborted) this.#onParentAbort();
    parent.addEventListener('abort', this.#onParentAbort, { once: true });
    this.#timer = clock.schedule(limit, () => this.#check());
  }

  /** Aborted when the parent is, or after too long without data. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error if the request was aborted because nothing arrived. */
  get bite(): KubeError | undefined {
    return this.#controller.signal.reason instanceof KubeError ? this.#controller.signal.reason : undefined;
  }

  /** Data arrived. */
  touch(now: number): void {
    this.#lastContact = now;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#parent.removeEventListener('abort', this.#onParentAbort);
  }

  #check(): void {
    const left = this.#lastContact + this.#limit - this.#clock.monotonic();
    if (left > 0) {
      this.#timer = this.#clock.schedule(left, () => this.#check());
      return;
    }
    const seconds = Math.round(this.#limit / 1000);
    this.#controller.abort(new KubeError('WatchIdle', `the API server sent nothing for ${seconds} s`));
  }
}
