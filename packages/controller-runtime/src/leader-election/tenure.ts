// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';

/** One reading of both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Pick<Clock, 'now' | 'monotonic'>): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * Whether a lease renewed at `renewed` can still be relied on at `now`. It cannot once `deadline` milliseconds have passed,
 * by the monotonic clock, or by the wall clock where that ran ahead of it: a machine that was suspended does not count the
 * time it slept, but learns of it when its wall clock is set.
 */
export function isTenureSure(renewed: Moment, now: Moment, deadline: number): boolean {
  const elapsed = now.monotonic - renewed.monotonic;
  const slept = now.wall - renewed.wall - elapsed;
  return elapsed < deadline && slept < deadline;
}
