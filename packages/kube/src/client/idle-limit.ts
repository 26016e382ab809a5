// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';

/** An idle limit. `signal` is aborted when the limit is reached or the caller's own signal is aborted. */
export interface IdleLimit {
  readonly signal: AbortSignal | undefined;
  readonly expired: boolean;
  /** Data has arrived and is being processed: this time does not count. */
  pause(): void;
  /** The caller waits for data again: the time starts at 0. */
  resume(): void;
  stop(): void;
}

/**
 * Aborts a stream that is idle for `milliseconds`. There is one timer; when it fires, it checks how long the stream has
 * been idle. So each piece of a busy stream costs two assignments, not two timers.
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
