// SPDX-License-Identifier: Apache-2.0
import { runCommandLine } from './command-line.ts';

await runCommandLine(process.argv.slice(2));
