// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { readCommandLine } from '../command-line.ts';

/** `npm run format`: formats, sorts imports and applies the safe fixes of the linter. */
const usage = {
  command: 'npm run format',
  help: 'npm run format -- [PATH ...]\n\nFormats, sorts imports and applies the safe fixes of the linter; without a path, everywhere.\n',
};
const { positionals: paths } = readCommandLine(usage, { allowPositionals: true });
const child = spawn('biome', ['check', '--write', ...(paths.length > 0 ? paths : ['.'])], { stdio: 'inherit' });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
