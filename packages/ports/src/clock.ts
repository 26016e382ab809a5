// SPDX-License-Identifier: Apache-2.0

/** A timer that can be called off. Cancelling one that has fired, or twice, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as a parameter. Product code takes a `Clock` and never touches `Date.now`, `setTimeout` or the like, so that tests
 * and simulations run the same code under virtual time.
 *
 * Guarantees: `monotonic` never goes back; a timer never fires early by `monotonic`; callbacks run in a fresh turn, never
 * inside `schedule`.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. May jump; use it for what people and APIs read. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never go back. Use it for every measurement and deadline. */
  monotonic(): number;
  /** Runs `callback` once, `milliseconds` from now. Does not keep an otherwise finished process alive if `background`. */
  schedule(milliseconds: number, callback: () => void, options?: { readonly background?: boolean }): Timer;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** `sleep` in terms of `schedule`; every clock uses it, so that abortion behaves the same under each. */
export function sleepOn(clock: Pick<Clock, 'schedule'>, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.schedule(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
