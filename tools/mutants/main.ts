// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTree } from '../check/tree.ts';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type Mutant, mutated, whyStale } from './mutant.ts';
import { mutants } from './mutants.ts';
import { failingTests } from './run-tests.ts';
import { testsFor } from './tests-for.ts';
import { WorkingCopy } from './working-copy.ts';

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
  --runs N                     scripts and views that models try (default: as many as npm test does)
`,
};
const { values, positionals } = readCommandLine(usage, {
  options: {
    list: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    lab: { type: 'boolean', default: false },
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
else process.exitCode = (await hunt(chosen)) ? 0 : 1;

/** True if each was noticed by another test than the one beside its file. */
async function hunt(all: readonly Mutant[]): Promise<boolean> {
  using copy = new WorkingCopy(repositoryRoot);
  const files = openTree(copy.root).files;
  const begun = performance.now();
  const rows: string[] = [];
  for (const [index, mutant] of all.entries()) {
    const { caughtBy, isWidely } = await notice(copy.root, files, mutant);
    const verdict = isWidely ? 'caught' : caughtBy.length > 0 ? 'ONLY BY ITS OWN TEST' : 'SURVIVED';
    rows.push(verdict);
    const who = caughtBy.map((file) => file.replace('apps/operator/src/', '')).join(', ');
    process.stdout.write(`| ${index + 1} | ${mutant.name} | ${verdict} | ${who} |\n`);
  }
  const count = (verdict: string) => rows.filter((row) => row === verdict).length;
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  process.stdout.write(
    `${all.length} mutants in ${minutes} min: ${count('caught')} caught, ${count('ONLY BY ITS OWN TEST')} by their own test alone, ${count('SURVIVED')} survived\n`,
  );
  return count('caught') === all.length;
}

async function notice(root: string, files: readonly string[], mutant: Mutant) {
  const path = join(root, mutant.file);
  const source = readFileSync(path, 'utf8');
  const stale = whyStale(mutant, source);
  if (stale !== undefined) throw new Error(`mutant "${mutant.name}": ${stale}`);
  const { own, others } = testsFor(mutant.file, files, { lab: values.lab });
  const options = { all: values.all, runs: values.runs, limit: values.lab ? 1_800_000 : 240_000 };
  writeFileSync(path, mutated(mutant, source));
  try {
    const wide = await failingTests(root, others, options);
    if (wide.length > 0 && !values.all) return { caughtBy: wide, isWidely: true };
    return { caughtBy: [...wide, ...(await failingTests(root, own, options))], isWidely: wide.length > 0 };
  } finally {
    writeFileSync(path, source);
  }
}
