// SPDX-License-Identifier: Apache-2.0

/** Which backups of a series to keep: those that at least one rule keeps. A rule of 0 keeps none; if all are 0, every backup is kept. */
export interface KeepRules {
  /** How many of the newest backups to keep. */
  readonly last: number;
  /** For how many hours, days, weeks and months to keep the newest backup. Periods without a backup do not count. */
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  /** Keeps all backups that are at most this much older than the newest, in milliseconds. */
  readonly withinMs: number;
  /** Time zone of days, weeks and months. */
  readonly timeZone: string;
}

export const keepAll: KeepRules = {
  last: 0,
  hourly: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  withinMs: 0,
  timeZone: 'UTC',
};

export function keepsAll({ last, hourly, daily, weekly, monthly, withinMs }: KeepRules): boolean {
  return [last, hourly, daily, weekly, monthly, withinMs].every((rule) => rule <= 0);
}

export function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).format(0) !== '';
  } catch {
    return false;
  }
}

interface Made {
  readonly key: string;
  readonly madeAt: number;
}

/**
 * The keys that the rules keep. The backups are given newest first. Only periods with a backup count: a week without any does not reduce
 * the number that is kept. Pruning after every backup has the same result as pruning once at the end: the newest backup of a period remains
 * its newest, and an older period is dropped only because of later ones.
 */
export function keptBy(rules: KeepRules, newestFirst: readonly Made[]): ReadonlySet<string> {
  const [newest] = newestFirst;
  if (!newest || keepsAll(rules)) return new Set(newestFirst.map(({ key }) => key));
  const { hourly, daily, weekly, monthly, withinMs } = rules;
  const day = dayIn(rules.timeZone);
  const periods = [
    firstOfEach(newestFirst, hourly, ({ madeAt }) => Math.floor(madeAt / 3_600_000)),
    firstOfEach(newestFirst, daily, ({ madeAt }) => day(madeAt).number),
    firstOfEach(newestFirst, weekly, ({ madeAt }) => weekOf(day(madeAt).number)),
    firstOfEach(newestFirst, monthly, ({ madeAt }) => day(madeAt).month),
  ];
  const recent = withinMs > 0 ? newestFirst.filter(({ madeAt }) => newest.madeAt - madeAt <= withinMs) : [];
  const last = newestFirst.slice(0, Math.max(0, rules.last));
  return new Set([...last, ...recent, ...periods.flat()].map(({ key }) => key));
}

function firstOfEach(newestFirst: readonly Made[], count: number, period: (made: Made) => number): readonly Made[] {
  const kept = new Map<number, Made>();
  if (count <= 0) return [];
  for (const made of newestFirst) {
    const of = period(made);
    if (kept.has(of)) continue;
    if (kept.size >= count) break;
    kept.set(of, made);
  }
  return [...kept.values()];
}

const dayMs = 86_400_000;

/** Weeks begin on Monday; day 0 was a Thursday. */
function weekOf(day: number): number {
  return Math.floor((day + 3) / 7);
}

/** Converts a time to its local day (days since 1970-01-01) and its local month (months since year 0). */
function dayIn(timeZone: string): (time: number) => { readonly number: number; readonly month: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 0, day = 0] = [parts.get('year'), parts.get('month'), parts.get('day')];
    return { number: Date.UTC(year, month - 1, day) / dayMs, month: year * 12 + month };
  };
}
