// SPDX-License-Identifier: Apache-2.0
import { median } from '../verdict.ts';

/** Measurements of one side, by name. */
export type Measures = Readonly<Record<string, number>>;

export interface Contestant {
  readonly name: string;
  measure(): Promise<Measures>;
}

/**
 * Has all sides measured in turns, forwards and backwards (A B B A), after a round that does not count. Resolves with the median of
 * each measure of each side.
 */
export async function inTurns(
  contestants: readonly Contestant[],
  rounds: number,
  report: (line: string) => void,
): Promise<ReadonlyMap<string, Measures>> {
  const all = new Map<string, Measures[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, measure } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const measures = await measure();
      if (round > 0) all.get(name)?.push(measures);
      const words = Object.entries(measures).map(([what, value]) => `${what} ${value.toPrecision(4)}`);
      report(`${round === 0 ? 'warm-up' : `round ${round}`}, ${name}: ${words.join(', ')}`);
    }
  }
  return new Map([...all].map(([name, list]) => [name, mediansOf(list)]));
}

function mediansOf(list: readonly Measures[]): Measures {
  const names = Object.keys(list[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(list.map((one) => one[name] ?? Number.NaN))]));
}

/** Ours over theirs for each measure that both have: `wall vs client-go`. */
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
