// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@etcd-operator/ports';

/** Why a call was ended from our side: its time was up, or its caller no longer wants it. */
export type EndedBy =
  | { readonly kind: 'deadline'; readonly afterMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown };

/**
 * The time and the will to go on of one call. `signal` is aborted by whichever comes first; `endedBy` says which. Must be
 * closed when the call is over, so that no timer and no listener is left.
 */
export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  readonly endedBy: EndedBy | undefined;
  /** Starts the time again, for streams whose limit is on silence and not on the whole. */
  renew(): void;
  /** Starts the time again unless it is stopped. Cheap enough for every piece of a large answer. */
  touch(): void;
  /** Stops the time, while the server is not what we wait for. */
  pause(): void;
}

/** Opens a scope of `timeoutMs` below a caller's signal. */
export function openScope(clock: Clock, timeoutMs: number, parent: AbortSignal | undefined): Scope {
  const controller = new AbortController();
  let endedBy: EndedBy | undefined;
  const end = (by: EndedBy) => {
    if (endedBy) return;
    endedBy = by;
    controller.abort(by.kind === 'abort' ? by.reason : new Error(`no answer within ${by.afterMs} ms`));
  };
  const onAbort = () => end({ kind: 'abort', reason: parent?.reason });
  // A stream starts its time again with every piece. To note when is cheap; a timer for each would cost more than the piece.
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

/** `promise`, or the scope's own reason as soon as the scope ends. What `promise` does later is its owner's business. */
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
