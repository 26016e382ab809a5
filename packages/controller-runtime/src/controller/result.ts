// SPDX-License-Identifier: Apache-2.0
import { type Duration, milliseconds } from '../duration.ts';

/** Result of a reconcile. Created with `done`, `requeue`, `requeueAfter` or `terminal`; a failure is thrown instead. */
export type Result =
  /** The state is as desired; the next event reconciles the key again. */
  | { readonly type: 'done' }
  /** Reconcile again soon, with a longer delay each consecutive time. */
  | { readonly type: 'requeue' }
  /** Reconcile again after this many milliseconds, or at the next event if that is sooner. */
  | { readonly type: 'requeueAfter'; readonly milliseconds: number }
  /** Cannot succeed until something changes. Reported, not retried. */
  | { readonly type: 'terminal'; readonly error: Error };

const doneResult: Result = Object.freeze({ type: 'done' });
const requeueResult: Result = Object.freeze({ type: 'requeue' });

/** The state is as desired. */
export function done(): Result {
  return doneResult;
}

/**
 * Reconcile again soon, with growing delays as after a failure (5 ms to 1000 s) until the reconcile has another result.
 * For work in progress whose end causes no event.
 */
export function requeue(): Result {
  return requeueResult;
}

/** Reconcile again after `delay`. Replaces the delay of an earlier result. Without a delay, the same as `requeue()`. */
export function requeueAfter(delay: Duration): Result {
  return { type: 'requeueAfter', milliseconds: milliseconds(delay) };
}

/** Do not try again until the object changes. */
export function terminal(error: Error): Result {
  return { type: 'terminal', error };
}

/** Thrown anywhere within a reconcile, it has the same effect as returning `terminal(error.cause)`. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

/** True if `error` or one of its causes is a `TerminalError`. */
export function isTerminal(error: unknown): boolean {
  // Stops at causes that form a cycle.
  for (let link = error, depth = 0; link instanceof Error && depth < 32; link = link.cause, depth++) {
    if (link instanceof TerminalError) return true;
  }
  return false;
}
