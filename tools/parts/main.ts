// SPDX-License-Identifier: Apache-2.0
import { runCommandLine } from './command-line.ts';
import { partTable } from './table.ts';

await runCommandLine(partTable, process.argv.slice(2));
