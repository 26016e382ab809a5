// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/** One reading of both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Pick<Clock, 'now' | 'monotonic'>): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * Whether a lease renewed at `renewed` is still valid at `now`. It is not once `deadline` milliseconds have passed by
 * the monotonic clock, or by the wall clock if that has advanced further. The monotonic clock of a machine does not
 * count while the machine is suspended, but its wall clock is set when it resumes.
 */
export function isLeaseValid(renewed: Moment, now: Moment, deadline: number): boolean {
  const elapsed = now.monotonic - renewed.monotonic;
  const slept = now.wall - renewed.wall - elapsed;
  return elapsed < deadline && slept < deadline;
}
