// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';

/** An idle limit. `signal` is aborted when it is reached, or when the caller's own signal is. */
export interface IdleLimit {
  readonly signal: AbortSignal | undefined;
  readonly expired: boolean;
  /** Data arrived and is being processed. */
  pause(): void;
  /** Waiting for data again; the limit starts again. */
  resume(): void;
  stop(): void;
}

/**
 * Aborts a stream that is idle for `milliseconds`. One timer at a time, checked when it fires: a busy stream costs two
 * assignments a piece, not two timers.
 */
export function watchIdle(clock: Clock, milliseconds: number | undefined, parent?: AbortSignal): IdleLimit {
  if (milliseconds === undefined) {
    return { signal: parent, expired: false, pause: nothing, resume: nothing, stop: nothing };
  }
  const controller = new AbortController();
  let since: number | undefined = clock.monotonic();
  let timer: Timer;
  const check = () => {
    const left = since === undefined ? milliseconds : since + milliseconds - clock.monotonic();
    if (left <= 0) controller.abort();
    else timer = clock.schedule(left, check);
  };
  timer = clock.schedule(milliseconds, check);
  return {
    signal: parent ? AbortSignal.any([parent, controller.signal]) : controller.signal,
    get expired() {
      return controller.signal.aborted && !parent?.aborted;
    },
    pause: () => {
      since = undefined;
    },
    resume: () => {
      since = clock.monotonic();
    },
    stop: () => timer.cancel(),
  };
}

function nothing(): void {}
