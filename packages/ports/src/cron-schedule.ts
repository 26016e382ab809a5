// SPDX-License-Identifier: Apache-2.0

/** A cron schedule: minute, hour, day of month, month, day of week. */
export interface CronSchedule {
  /** The first time after `after` (milliseconds since the epoch), or undefined if there is none within five years. */
  next(after: number): number | undefined;
}

const shorthands: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const minute = 60_000;
const hour = 60 * minute;
const horizon = 5 * 366 * 24 * hour;

interface Fields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** If both day fields are restricted, either may match. */
  readonly eitherDay: boolean;
}

/**
 * How a schedule treats local times that daylight saving skips or repeats:
 *
 * - `asTheyCome`: skipped times are left out, and repeated ones run twice, as in CronJobs of Kubernetes;
 * - `once`: skipped times run when the clock is set, and repeated ones run once, the first time. An hourly schedule
 *   continues every hour.
 */
export type ClockChanges = 'asTheyCome' | 'once';

/**
 * Parses a schedule. Undefined if it is invalid, or the time zone is unknown.
 * @param timeZone an IANA name, @default UTC
 */
export function parseCron(
  text: string,
  timeZone = 'UTC',
  changes: ClockChanges = 'asTheyCome',
): CronSchedule | undefined {
  const local = localClock(timeZone);
  if (!local) return undefined;
  const every = /^@every\s+(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text.trim());
  if (every) return everySchedule(every);
  const parts = (shorthands[text.trim()] ?? text).trim().split(/\s+/);
  const fields = parts.length === 5 ? parseFields(parts) : undefined;
  if (!fields) return undefined;
  const isByTheHour = fields.hours.size === 24;
  const next = changes === 'asTheyCome' || isByTheHour ? search : searchOnce;
  return { next: (after) => next(fields, local, after) };
}

function everySchedule([, hours = '0', minutes = '0', seconds = '0']: RegExpExecArray): CronSchedule | undefined {
  const period = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * 1000;
  return period > 0 ? { next: (after) => after + period } : undefined;
}

function parseFields(parts: readonly string[]): Fields | undefined {
  const minutes = parseField(parts[0], { least: 0, most: 59 });
  const hours = parseField(parts[1], { least: 0, most: 23 });
  const daysOfMonth = parseField(parts[2], { least: 1, most: 31 });
  const monthSet = parseField(parts[3], { least: 1, most: 12, names: months, firstName: 1 });
  const daysOfWeek = parseField(parts[4], { least: 0, most: 7, names: days });
  if (!minutes || !hours || !daysOfMonth || !monthSet || !daysOfWeek) return undefined;
  if (daysOfWeek.has(7)) daysOfWeek.add(0);
  const isOpen = (part: string | undefined) => part === undefined || part.startsWith('*') || part === '?';
  return {
    minutes,
    hours,
    daysOfMonth,
    months: monthSet,
    daysOfWeek,
    eitherDay: !isOpen(parts[2]) && !isOpen(parts[4]),
  };
}

/** The range of a field. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
  readonly firstName?: number;
}

/** Lists of values, ranges and steps: `1,5-10,20-40/5`. Undefined if a value is out of range. */
function parseField(text: string | undefined, bounds: Bounds): Set<number> | undefined {
  const items = (text ?? '').split(',').map((item) => parseItem(item, bounds));
  const isValid = items.every((item) => item !== undefined);
  return isValid ? new Set(items.flat()) : undefined;
}

function parseItem(item: string, bounds: Bounds): readonly number[] | undefined {
  const { least, most } = bounds;
  const [range = '', step = '1', ...more] = item.split('/');
  const isAll = range === '*' || range === '?';
  const [from = '', to] = range.split('-');
  const first = isAll ? least : valueOfWord(from, bounds);
  const isOpenEnded = isAll || (to === undefined && item.includes('/'));
  const last = isOpenEnded ? most : valueOfWord(to ?? from, bounds);
  const stride = Number(step);
  const isStride = Number.isInteger(stride) && stride > 0 && more.length === 0;
  if (!isStride || !(first >= least && last <= most && first <= last)) return undefined;
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, index) => first + index * stride);
}

function valueOfWord(word: string, { names = [], firstName = 0 }: Bounds): number {
  const named = names.indexOf(word.toLowerCase());
  if (named >= 0) return named + firstName;
  return /^\d+$/.test(word) ? Number(word) : Number.NaN;
}

/**
 * Advances to the next matching day, hour or minute. A step that would pass a change of the clock ends at the change.
 */
function search(fields: Fields, local: LocalClock, after: number): number | undefined {
  let time = Math.floor(after / minute) * minute + minute;
  let at = local(time);
  while (time < after + horizon) {
    const step = stepFrom(fields, at);
    if (step === 0) return time;
    const from = time;
    time += step;
    const next = local(time);
    const isSet = next.offset !== at.offset;
    if (isSet) time = changeBetween(local, from, time);
    at = isSet ? local(time) : next;
  }
  return undefined;
}

/** The distance to the next time that may match; 0 if this one does. */
function stepFrom(fields: Fields, at: LocalTime): number {
  if (!fields.months.has(at.month) || !matchesDay(fields, at)) return (24 - at.hour) * hour - at.minute * minute;
  const hours = firstFrom(at.hour, 24, fields.hours) - at.hour;
  return hours > 0
    ? hours * hour - at.minute * minute
    : (firstFrom(at.minute, 60, fields.minutes) - at.minute) * minute;
}

/** The first of these values that is at least `from`; `end` if there is none. */
function firstFrom(from: number, end: number, values: ReadonlySet<number>): number {
  let value = from;
  while (value < end && !values.has(value)) value += 1;
  return value;
}

/** Each matching local time once: repeated times do not run again, and skipped ones run when the clock is set. */
function searchOnce(fields: Fields, local: LocalClock, after: number): number | undefined {
  let found = search(fields, local, after);
  while (found !== undefined && isSecondTime(local, found)) found = search(fields, local, found);
  return skippedBefore(fields, local, after, found ?? after + horizon) ?? found;
}

/** True if the clock showed the same time earlier, because it was set back since. */
function isSecondTime(local: LocalClock, time: number): boolean {
  const back = local(time - 3 * hour).offset - local(time).offset;
  return back > 0 && local(time - back).offset === local(time).offset + back;
}

/** The first moment after `after` and before `until` at which the clock was set forward over a matching time. */
function skippedBefore(fields: Fields, local: LocalClock, after: number, until: number): number | undefined {
  const day = 24 * hour;
  for (let from = Math.floor(after / minute) * minute; from < until; from += day) {
    const to = Math.min(from + day, Math.ceil(until / minute) * minute);
    const over = local(to).offset - local(from).offset;
    if (over <= 0) continue;
    const change = changeBetween(local, from, to);
    if (change > after && change < until && skips(fields, local, change, over)) return change;
  }
  return undefined;
}

function changeBetween(local: LocalClock, from: number, to: number): number {
  const { offset } = local(from);
  let [before, since] = [from, to];
  while (since - before > minute) {
    const middle = before + Math.floor((since - before) / 2 / minute) * minute;
    if (local(middle).offset === offset) before = middle;
    else since = middle;
  }
  return since;
}

/** True if a matching time is among the local times that the clock skipped. */
function skips(fields: Fields, local: LocalClock, change: number, over: number): boolean {
  const first = change + local(change - minute).offset;
  for (let time = first; time < first + over; time += minute) {
    const at = utc(time);
    const isMatch = fields.months.has(at.month) && matchesDay(fields, at) && fields.hours.has(at.hour);
    if (isMatch && fields.minutes.has(at.minute)) return true;
  }
  return false;
}

/** The local time as fields; skipped local times are counted as if they existed. */
function utc(time: number): LocalTime {
  const date = new Date(time);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    offset: 0,
  };
}

interface LocalTime {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  /** The offset of the local time from UTC, in milliseconds. */
  readonly offset: number;
}

type LocalClock = (time: number) => LocalTime;

function matchesDay(fields: Fields, at: LocalTime): boolean {
  const byMonth = fields.daysOfMonth.has(at.day);
  const byWeek = fields.daysOfWeek.has(at.weekday);
  return fields.eitherDay ? byMonth || byWeek : byMonth && byWeek;
}

/** Undefined for an unknown time zone. */
function localClock(timeZone: string): LocalClock | undefined {
  const format = formatFor(timeZone);
  return format && ((time) => shownBy(format, time));
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      weekday: 'short',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return undefined;
  }
}

function shownBy(format: Intl.DateTimeFormat, time: number): LocalTime {
  const parts = new Map(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
  const number = (part: Intl.DateTimeFormatPartTypes) => Number(parts.get(part));
  const shown = { month: number('month'), day: number('day'), hour: number('hour'), minute: number('minute') };
  const asUtc = Date.UTC(number('year'), shown.month - 1, shown.day, shown.hour, shown.minute);
  return {
    ...shown,
    weekday: days.indexOf((parts.get('weekday') ?? '').toLowerCase()),
    offset: asUtc - Math.floor(time / minute) * minute,
  };
}
