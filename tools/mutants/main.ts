// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { Hunt } from './hunt.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { type Notice, pagePath, pageWith, simulationOf, whoOf } from './page.ts';

/**
 * `npm run test:mutants`: breaks a copy of the operator in many small ways, one at a time, and reports which tests
 * fail.
 */
const usage = {
  command: 'npm run test:mutants',
  help: `npm run test:mutants -- [NAME ...] [options]

Breaks the operator in ${mutants.length} small ways, one at a time and in a copy of the sources, and says which tests notice. A mutant that is
noticed by nobody, or by nothing but the test written for its line, makes it fail. Parts of names choose mutants.
  --list                       only tells what they are
  --all                        runs every test and names all that notice, instead of the first
  --lab                        asks tests in the lab, too, which takes much longer
  --simulation                 asks the simulation, too, whether other tests notice or not
  --record                     writes each result into ${pagePath}
  --runs N                     scripts and views that models try (default: as many as npm test does)
`,
};
const { values, positionals } = readCommandLine(usage, {
  options: {
    list: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    lab: { type: 'boolean', default: false },
    simulation: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    runs: { type: 'string' },
  },
  allowPositionals: true,
});
if (values.runs !== undefined && !/^[1-9]\d*$/.test(values.runs))
  complain(usage, `--runs takes a number, not "${values.runs}"`);
const chosen = mutants.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
if (chosen.length === 0) complain(usage, `no mutant is called ${positionals.map((part) => `"${part}"`).join(' or ')}`);

if (values.list) for (const { name, breaks, file } of chosen) process.stdout.write(`${name}: ${breaks} (${file})\n`);
else process.exitCode = (await tryAll(chosen)) ? 0 : 1;

/** True if each was noticed by another test than the one beside its file. */
async function tryAll(all: readonly Mutant[]): Promise<boolean> {
  const { all: everyTest, lab, simulation, runs } = values;
  using hunt = new Hunt(repositoryRoot, { all: everyTest, lab, simulation, runs });
  const begun = performance.now();
  const results = new Map<string, Notice>();
  for (const [index, mutant] of all.entries()) {
    const notice = await hunt.notice(mutant);
    results.set(mutant.name, notice);
    if (values.record) record(results);
    process.stdout.write(
      `${index + 1} of ${all.length}: ${mutant.name}: ${notice.verdict}: ${whoOf(notice)}; simulation: ${simulationOf(notice)}\n`,
    );
  }
  const count = (verdict: Notice['verdict']) =>
    [...results.values()].filter((notice) => notice.verdict === verdict).length;
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  process.stdout.write(
    `${all.length} mutants in ${minutes} min: ${count('caught')} caught, ${count('only by its own test')} by their own test alone, ${count('survived')} survived\n`,
  );
  return count('caught') === all.length;
}

function record(results: ReadonlyMap<string, Notice>): void {
  const path = join(repositoryRoot, pagePath);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  writeFileSync(path, pageWith(mutants, results, before));
}
