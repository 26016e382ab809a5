// SPDX-License-Identifier: Apache-2.0

interface FieldRange {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const ranges: readonly FieldRange[] = [
  { low: 0, high: 59, names: [] },
  { low: 0, high: 23, names: [] },
  { low: 1, high: 31, names: [] },
  { low: 1, high: 12, names: months },
  { low: 0, high: 6, names: days },
];

const shortcuts = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/;

/** The error of a cron schedule; undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  if (shortcuts.test(schedule)) return undefined;
  if (schedule.startsWith('@')) return `unrecognized descriptor: ${schedule}`;
  const fields = schedule
    .replace(/^(CRON_TZ|TZ)=\S+\s+/, '')
    .split(/\s+/)
    .filter(Boolean);
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    for (const part of field.split(',')) {
      const problem = partProblem(part, ranges[index] as FieldRange);
      if (problem) return problem;
    }
  }
  return undefined;
}

function partProblem(part: string, range: FieldRange): string | undefined {
  const [span = '', step, ...rest] = part.split('/');
  if (rest.length > 0) return `too many slashes: ${part}`;
  if (step !== undefined && !/^\d+$/.test(step))
    return `failed to parse int from ${step}: strconv.Atoi: parsing "${step}": invalid syntax`;
  if (step !== undefined && Number(step) === 0) return `step of range should be a positive number: ${part}`;
  if (span === '*' || span === '?') return undefined;
  const ends = span.split('-');
  if (ends.length > 2) return `too many hyphens: ${part}`;
  const values = ends.map((end) => valueIn(end, range));
  for (const [index, value] of values.entries()) {
    const text = ends[index] ?? '';
    if (value === undefined) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  }
  const [low = 0, high = low] = values as number[];
  if (low < range.low) return `beginning of range (${low}) below minimum (${range.low}): ${part}`;
  if (high > range.high) return `end of range (${high}) above maximum (${range.high}): ${part}`;
  return low > high ? `beginning of range (${low}) beyond end of range (${high}): ${part}` : undefined;
}

function valueIn(text: string, range: FieldRange): number | undefined {
  const name = range.names.indexOf(text.toLowerCase());
  if (name >= 0) return name + range.low;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
