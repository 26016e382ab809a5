// SPDX-License-Identifier: Apache-2.0
import type { CronSchedule } from '@operator-parts/ports';

/** When backups are made. */
export type Schedule =
  | { readonly kind: 'once' }
  | { readonly kind: 'interval'; readonly milliseconds: number }
  | { readonly kind: 'cron'; readonly cron: CronSchedule };

/** Past events, in milliseconds since the epoch. */
export interface Past {
  /** When the last backup was due; for objects of other operators, when it was made. */
  readonly last: number | undefined;
  /** When the object was created. */
  readonly created: number;
  /**
   * How long this process has seen `last` unchanged, by the monotonic clock. So `last` is at least this long ago, whatever the wall clock
   * says.
   */
  readonly seenFor: number;
}

/** The next due time: in the past or present if a backup is due now; undefined if there is none. */
export type DueTime = number | undefined;

/**
 * A recorded time that is further in the future than this was written with a wrong clock. Smaller differences between two machines are
 * normal.
 */
const believableLead = 5 * 60_000;

/** The highest number of missed times that are checked one by one. */
const missedLimit = 100;

/**
 * When the next periodic backup is due. Due times are counted from the last due time, not from the time when the backup was made, so that
 * they do not drift. Of several missed backups only the latest is made. With an interval, the first backup is due at once. If the recorded
 * time is too far in the future, the next backup is also due at once: waiting for that time would stop the series.
 */
export function nextDue(schedule: Exclude<Schedule, { kind: 'once' }>, past: Past, now: number): DueTime {
  const recorded = past.last ?? (schedule.kind === 'cron' ? past.created : undefined);
  if (recorded === undefined || recorded - now > believableLead) return now;
  const from = Math.min(recorded, now - past.seenFor);
  switch (schedule.kind) {
    case 'interval': {
      const missed = Math.floor((now - from) / schedule.milliseconds);
      return from + Math.max(1, missed) * schedule.milliseconds;
    }
    case 'cron':
      return latestMissed(schedule.cron, from, now);
  }
}

function latestMissed(cron: CronSchedule, from: number, now: number): DueTime {
  const first = cron.next(from);
  if (first === undefined || first > now) return first;
  let due = first;
  for (let seen = 0; seen < missedLimit; seen++) {
    const next = cron.next(due);
    if (next === undefined || next > now) return due;
    due = next;
  }
  return now;
}
