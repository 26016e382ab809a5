// SPDX-License-Identifier: Apache-2.0

import { answerHelp, complain } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { checks } from './checks.ts';
import { describeOutcome, runChecks } from './run-checks.ts';

/** `npm run check`: all checks of the tree without running it. Words after `--` select checks by name. */
const words = process.argv.slice(2);
const list = checks.map(({ name }) => `  ${name}`).join('\n');
const usage = {
  command: 'npm run check',
  help: `npm run check -- [WORD ...]\n\nChecks the tree without running it. A word chooses checks by their names:\n\n${list}\n`,
};
answerHelp(usage, words);
const chosen = checks.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) complain(usage, `no check is called "${words.join(' ')}"`);
const started = performance.now();
const outcomes = await runChecks(chosen, repositoryRoot, (outcome) => {
  process.stdout.write(`${describeOutcome(outcome)}\n`);
});
const failed = outcomes.filter(({ problems }) => problems.length > 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(`Checked in ${seconds} s.\n${outcomes.length - failed.length} passed, ${failed.length} failed\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
