// SPDX-License-Identifier: Apache-2.0
import type { CronSchedule } from '@etcd-operator/ports';

/** When backups are made. */
export type Schedule =
  | { readonly kind: 'once' }
  | { readonly kind: 'interval'; readonly milliseconds: number }
  | { readonly kind: 'cron'; readonly cron: CronSchedule };

/** What is known of the past, in milliseconds since the epoch. */
export interface Past {
  /** When the last backup was due; for objects of other operators, when it was made. */
  readonly last: number | undefined;
  /** When the object was made. */
  readonly created: number;
  /** How long this process has seen `last` as it is, by the monotonic clock: whatever the wall clock says, it is this old. */
  readonly seenFor: number;
}

/** The next time that is due: in the past or present if it is due now, undefined if there is none. */
export type DueTime = number | undefined;

/** A recorded time that is ahead by more is the work of a wrong clock; by less, two machines may differ. */
const believableLead = 5 * 60_000;

/** Missed times are looked at one by one up to this many. */
const missedLimit = 100;

/**
 * When the next periodic backup is due. Times are counted from the last due time, not from when the backup was made, so that
 * they do not drift. Of several that were missed only the latest counts. The first of an interval is due at once, and so is the next
 * after a time that cannot be believed: waiting until the clock comes there again would stop the series.
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
