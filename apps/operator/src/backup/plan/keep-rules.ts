// SPDX-License-Identifier: Apache-2.0

/**
 * Which backups of a series to keep: those that at least one rule keeps. A rule with the value 0 keeps no backup. If all rules are 0, every
 * backup is kept.
 */
export interface KeepRules {
  /** How many of the newest backups to keep. */
  readonly last: number;
  /** For how many hours, days, weeks and months to keep the newest backup. Periods without a backup do not count. */
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  /** Keeps all backups that are at most this many milliseconds older than the newest backup. */
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

/** A rule that keeps a backup. */
export type KeepRule = 'last' | 'within' | 'hourly' | 'daily' | 'weekly' | 'monthly';

/**
 * The keys that the rules keep, and which rules keep each of them; if all rules are 0, every key is kept and no rule is named. The backups
 * are given newest first. Only periods with a backup count: a week without a backup does not reduce the number of backups that are kept.
 * Pruning after every backup has the same result as pruning once at the end.
 */
export function keptBy(rules: KeepRules, newestFirst: readonly Made[]): ReadonlyMap<string, readonly KeepRule[]> {
  const [newest] = newestFirst;
  if (!newest || keepsAll(rules)) return new Map(newestFirst.map(({ key }) => [key, []]));
  const { last, hourly, daily, weekly, monthly, withinMs } = rules;
  const day = dayIn(rules.timeZone);
  const kept: Readonly<Record<KeepRule, readonly Made[]>> = {
    last: newestFirst.slice(0, Math.max(0, last)),
    within: withinMs > 0 ? newestFirst.filter(({ madeAt }) => newest.madeAt - madeAt <= withinMs) : [],
    hourly: firstOfEach(newestFirst, hourly, ({ madeAt }) => Math.floor(madeAt / 3_600_000)),
    daily: firstOfEach(newestFirst, daily, ({ madeAt }) => day(madeAt).number),
    weekly: firstOfEach(newestFirst, weekly, ({ madeAt }) => weekOf(day(madeAt).number)),
    monthly: firstOfEach(newestFirst, monthly, ({ madeAt }) => day(madeAt).month),
  };
  const byKey = new Map<string, KeepRule[]>();
  for (const rule of keepRules) for (const { key } of kept[rule]) byKey.set(key, [...(byKey.get(key) ?? []), rule]);
  return byKey;
}

const keepRules: readonly KeepRule[] = ['last', 'within', 'hourly', 'daily', 'weekly', 'monthly'];

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
