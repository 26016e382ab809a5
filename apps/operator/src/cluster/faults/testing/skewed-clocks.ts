// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '@operator-parts/ports';

/** The system clock, which a test can move ahead: wall clock and monotonic clock jump, timers do not change. */
export function leapingClock(): Clock & { leap(milliseconds: number): void } {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    schedule: (milliseconds, callback, options) => systemClock.schedule(milliseconds, callback, options),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal),
    leap(milliseconds) {
      ahead += milliseconds;
    },
  };
}

/** Durations are right, but the wall clock is wrong. */
export function skewedClock(milliseconds: number): Clock {
  return { ...leapingClock(), now: () => systemClock.now() + milliseconds };
}

/** Every wait takes only a fraction of its time. */
export function fastClock(factor: number): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() * factor,
    schedule: (milliseconds, callback, options) => systemClock.schedule(milliseconds / factor, callback, options),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / factor, signal),
  };
}
