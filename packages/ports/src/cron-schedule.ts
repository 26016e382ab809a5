// SPDX-License-Identifier: Apache-2.0

/** A schedule in the language of cron: minute, hour, day of month, month, day of week. */
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
  /** If both days are restricted, either will do. */
  readonly eitherDay: boolean;
}

/** Reads a schedule. Undefined if it is malformed, or the time zone unknown. @param timeZone an IANA name, @default UTC */
export function parseCron(text: string, timeZone = 'UTC'): CronSchedule | undefined {
  if (!isTimeZone(timeZone)) return undefined;
  const every = /^@every\s+(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text.trim());
  if (every) return everySchedule(every);
  const parts = (shorthands[text.trim()] ?? text).trim().split(/\s+/);
  const fields = parts.length === 5 ? parseFields(parts) : undefined;
  return fields && { next: (after) => search(fields, timeZone, after) };
}

function isTimeZone(name: string): boolean {
  try {
    localClock(name);
    return true;
  } catch {
    return false;
  }
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

/** What a field may hold. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
  readonly firstName?: number;
}

/** Lists of values, ranges and steps: `1,5-10,20-40/5`. Undefined if something is out of bounds. */
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

/** Goes forward minute by minute, in larger steps while the month, day or hour does not match. */
function search(fields: Fields, timeZone: string, after: number): number | undefined {
  const local = localClock(timeZone);
  let time = Math.floor(after / minute) * minute + minute;
  while (time < after + horizon) {
    const at = local(time);
    if (!fields.months.has(at.month) || !matchesDay(fields, at)) {
      // To the last hour of the day: its end is an hour earlier or later where clocks change.
      time += Math.max(1, 23 - at.hour) * hour - at.minute * minute;
    } else if (!fields.hours.has(at.hour)) {
      time += hour - at.minute * minute;
    } else if (!fields.minutes.has(at.minute)) {
      time += minute;
    } else return time;
  }
  return undefined;
}

interface LocalTime {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

function matchesDay(fields: Fields, at: LocalTime): boolean {
  const byMonth = fields.daysOfMonth.has(at.day);
  const byWeek = fields.daysOfWeek.has(at.weekday);
  return fields.eitherDay ? byMonth || byWeek : byMonth && byWeek;
}

function localClock(timeZone: string): (time: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
    return {
      month: Number(parts['month']),
      day: Number(parts['day']),
      weekday: days.indexOf((parts['weekday'] ?? '').toLowerCase()),
      hour: Number(parts['hour']),
      minute: Number(parts['minute']),
    };
  };
}
