// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from './mutant.ts';

/** Where the last results are kept. */
export const pagePath = 'docs/rules/mutants.md';

/** Who noticed a mutant. */
export interface Notice {
  readonly verdict: 'caught' | 'only by its own test' | 'survived';
  readonly by: readonly string[];
  /** Files of the simulation that fail; undefined if it was not asked. */
  readonly bySimulation: readonly string[] | undefined;
}

const head = `<!-- Written by npm run test:mutants -- --record; do not edit. -->

# Mutants

The operator, broken on purpose in small ways, one at a time, and which tests notice it. Each of them must be noticed by another test than
the one that was written for its line. \`npm run check\` fails for a mutant that no longer fits its source, or that this table does not have.

The last column is the simulation alone: its scripts and the seeds of \`npm test\`. It does not play every part of the operator, and rare
mistakes take more seeds than these.

| mutant | what it does | noticed by | by the simulation |
| ------ | ------------ | ---------- | ----------------- |
`;

/** The page with these results; rows of mutants that were not tried this time stay. */
export function pageWith(
  mutants: readonly Mutant[],
  results: ReadonlyMap<string, Notice>,
  before: string | undefined,
): string {
  const kept = rowsOf(before ?? '');
  const rows = mutants.flatMap(({ name, breaks }) => {
    const notice = results.get(name);
    const row = notice ? `| ${name} | ${breaks} | ${whoOf(notice)} | ${simulationOf(notice)} |` : kept.get(name);
    return row === undefined ? [] : [row];
  });
  return `${head}${rows.join('\n')}\n`;
}

/** The rows of the page by the names of their mutants. */
export function rowsOf(page: string): ReadonlyMap<string, string> {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (mutant|-+) \|/.test(line));
  return new Map(rows.map((row) => [row.split(' | ')[0]?.slice(2) ?? '', row]));
}

export function whoOf({ verdict, by }: Notice): string {
  if (verdict === 'survived') return '**nobody**';
  return verdict === 'caught' ? short(by) : `**only its own test**: ${short(by)}`;
}

export function simulationOf({ bySimulation }: Notice): string {
  if (bySimulation === undefined) return 'not asked';
  return bySimulation.length > 0 ? short(bySimulation) : '-';
}

function short(files: readonly string[]): string {
  return files.map((file) => file.replace(/^(apps\/operator\/src|test\/simulation)\//, '')).join(', ');
}
