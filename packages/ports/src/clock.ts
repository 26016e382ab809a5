// SPDX-License-Identifier: Apache-2.0

/** A timer that can be cancelled. Cancelling one that has fired, or twice, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as a parameter. Product code uses a `Clock` and never `Date.now`, `setTimeout` or the like, so that tests and
 * simulations run the same code under virtual time.
 *
 * Guarantees: `monotonic` never decreases; a timer never fires early by `monotonic`; callbacks run in a new turn of the
 * event loop, never inside `schedule`.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. May jump; use it for times that users and APIs read. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never decrease. Use it for every measurement and deadline. */
  monotonic(): number;
  /** Runs `callback` once after `milliseconds`. With `background`, it does not keep the process alive. */
  schedule(milliseconds: number, callback: () => void, options?: { readonly background?: boolean }): Timer;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** `sleep` implemented with `schedule`; every clock uses it, so that all handle abort in the same way. */
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
