// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { runCommandLine } from '../command-line.ts';
import type { PartTable } from '../recipes/recipe.ts';

/**
 * The real command line with a test's own table: `run-on-table.ts <JSON file of the table> <arguments of npm run
 * tools>`.
 */
const [file = '', ...args] = process.argv.slice(2);
const table: PartTable = JSON.parse(readFileSync(file, 'utf8'));
await runCommandLine(table, args);
