// SPDX-License-Identifier: Apache-2.0
import { openTree } from '../check/tree.ts';
import { repositoryRoot } from '../repository-root.ts';
import { coverageOf } from './coverage.ts';
import { describeCoverage } from './describe-coverage.ts';

/** `npm run checklist`: every line of the list with the tests that prove it. Ends with status 1 where a required one has none. */
const { text, isComplete } = describeCoverage(coverageOf(openTree(repositoryRoot)));
process.stdout.write(text);
process.exitCode = isComplete ? 0 : 1;
