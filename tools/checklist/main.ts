// SPDX-License-Identifier: Apache-2.0
import { openTree } from '../check/tree.ts';
import { readCommandLine } from '../command-line.ts';
import { repositoryRoot } from '../repository-root.ts';
import { coverageOf } from './coverage.ts';
import { describeCoverage } from './describe-coverage.ts';
import { describeItems } from './describe-items.ts';
import { itemsFile, problemsOf, readItems } from './tutorial-items.ts';

/**
 * `npm run checklist`: every line of the list with the tests that prove it, and every item of the tutorials with its
 * own. Exits with status 1 if one is missing, has no test, or names a test that does not exist.
 */
readCommandLine(
  {
    command: 'npm run checklist',
    help: 'npm run checklist\n\nLists what CoreOS etcd-operator promised and what the tutorials print, line by line, with the tests that prove it.\n',
  },
  {},
);
const tree = openTree(repositoryRoot);
const { text, isComplete } = describeCoverage(coverageOf(tree));
const items = readItems(tree.read(itemsFile));
const problems = problemsOf(items, tree);
process.stdout.write(`${text}
${describeItems(items, problems)}`);
process.exitCode = isComplete && problems.length === 0 ? 0 : 1;
