// SPDX-License-Identifier: Apache-2.0
import { median } from '../verdict.ts';
import { type StopMeter, startMeter, tolerableLoad } from './load-meter.ts';

/** Measurements of one side, by name. */
export type Measures = Readonly<Record<string, number>>;

export interface Contestant {
  readonly name: string;
  /** @param isWarmUp the measurement does not count, so it can be shorter */
  measure(isWarmUp: boolean): Promise<Measures>;
}

interface Round {
  readonly measures: ReadonlyMap<string, Measures>;
  /** Cores that other processes used meanwhile. */
  readonly elsewhere: number;
}

/** How many rounds may be repeated because of other load. */
const repetitions = 2;

/**
 * Measures all sides alternately, forwards and backwards (A B B A), after a warm-up round. Rounds with other load are
 * repeated, within limits, and the quietest ones count. Resolves with the median of each measurement of each side.
 */
export async function inTurns(
  contestants: readonly Contestant[],
  rounds: number,
  report: (line: string) => void,
  meter: () => Promise<StopMeter> = startMeter,
): Promise<ReadonlyMap<string, Measures>> {
  const all: Round[] = [];
  const isQuiet = ({ elsewhere }: Round) => !(elsewhere > tolerableLoad);
  for (let turn = 0; turn <= rounds + repetitions && all.filter(isQuiet).length < rounds; turn++) {
    const order = turn % 2 === 0 ? contestants : contestants.toReversed();
    const round = await measureAll(turn === 0 ? 'warm-up' : `round ${turn}`, turn === 0, order, report, meter);
    if (turn > 0) all.push(round);
  }
  const counted = all.toSorted((one, other) => one.elsewhere - other.elsewhere).slice(0, rounds);
  const loud = counted.filter((round) => !isQuiet(round)).length;
  if (loud > 0) report(`NOT TO BE TRUSTED: others kept the machine busy in ${loud} of ${rounds} rounds`);
  return new Map(contestants.map(({ name }) => [name, summary(name, counted, report)]));
}

async function measureAll(
  title: string,
  isWarmUp: boolean,
  order: readonly Contestant[],
  report: (line: string) => void,
  meter: () => Promise<StopMeter>,
): Promise<Round> {
  const stop = await meter();
  const all = new Map<string, Measures>();
  for (const { name, measure } of order) {
    const measures = await measure(isWarmUp);
    all.set(name, measures);
    const words = Object.entries(measures).map(([what, value]) => `${what} ${value.toPrecision(4)}`);
    report(`${title}, ${name}: ${words.join(', ')}`);
  }
  const elsewhere = await stop();
  if (elsewhere > tolerableLoad) report(`${title}: others had ${elsewhere.toFixed(1)} cores in use`);
  return { measures: all, elsewhere };
}

/** The medians of one side; all values are reported. */
function summary(name: string, rounds: readonly Round[], report: (line: string) => void): Measures {
  const list = rounds.map(({ measures }) => measures.get(name) ?? {});
  const medians: Record<string, number> = {};
  const words = Object.keys(list[0] ?? {}).map((what) => {
    const values = list.map((measures) => measures[what] ?? Number.NaN);
    medians[what] = median(values);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${what} ${median(values).toPrecision(4)} (${least.toPrecision(4)} to ${most.toPrecision(4)})`;
  });
  report(`median of ${list.length}, ${name}: ${words.join(', ')}`);
  return medians;
}

/** Ours divided by theirs for each measurement that both have: `wall vs client-go`. */
export function ratiosTo(
  medians: ReadonlyMap<string, Measures>,
  ours: string,
  theirs: string,
): Readonly<Record<string, number>> {
  const other = medians.get(theirs) ?? {};
  const entries = Object.entries(medians.get(ours) ?? {}).map(
    ([what, value]) => [`${what} vs ${theirs}`, value / (other[what] ?? Number.NaN)] as const,
  );
  return Object.fromEntries(entries);
}
