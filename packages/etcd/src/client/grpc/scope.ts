// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';

/** Why we ended a call: its timeout, or its caller aborted it. */
export type EndedBy =
  | { readonly kind: 'deadline'; readonly afterMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown };

/**
 * The timeout and the abort signal of one call. `signal` is aborted when the first of the two ends the call; `endedBy`
 * says which. Must be closed when the call is over, so that no timer and no listener is left.
 */
export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  readonly endedBy: EndedBy | undefined;
  /** Restarts the timeout, for streams with a limit per wait. */
  renew(): void;
  /** Restarts the timeout unless it is stopped. Cheap enough for every piece of a large answer. */
  touch(): void;
  /** Stops the timeout, while we do not wait for the server. */
  pause(): void;
}

/** Opens a scope with `timeoutMs` and a caller's signal. */
export function openScope(clock: Clock, timeoutMs: number, parent: AbortSignal | undefined): Scope {
  const controller = new AbortController();
  let endedBy: EndedBy | undefined;
  const end = (by: EndedBy) => {
    if (endedBy) return;
    endedBy = by;
    controller.abort(by.kind === 'abort' ? by.reason : new Error(`no answer within ${by.afterMs} ms`));
  };
  const onAbort = () => end({ kind: 'abort', reason: parent?.reason });
  // A stream restarts its timeout with every piece. Recording the time is cheap; a timer for each piece would cost more
  // than the piece.
  let since: number | undefined = clock.monotonic();
  let timer: Timer | undefined;
  const arm = (milliseconds: number) => {
    timer = clock.schedule(milliseconds, () => {
      timer = undefined;
      if (since === undefined) return;
      const left = since + timeoutMs - clock.monotonic();
      if (left > 0) arm(left);
      else end({ kind: 'deadline', afterMs: timeoutMs });
    });
  };
  arm(timeoutMs);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get endedBy() {
      return endedBy;
    },
    renew: () => {
      since = clock.monotonic();
      if (!timer) arm(timeoutMs);
    },
    touch: () => {
      if (since !== undefined) since = clock.monotonic();
    },
    pause: () => {
      since = undefined;
    },
    [Symbol.dispose]: () => {
      timer?.cancel();
      parent?.removeEventListener('abort', onAbort);
    },
  };
}

/** `promise`, or the scope's own reason as soon as the scope ends. A later result of `promise` is ignored. */
export async function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
