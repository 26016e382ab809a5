// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

/** `npm run format`: formats, sorts imports and applies the safe fixes of the linter. */
const paths = process.argv.slice(2);
const child = spawn('biome', ['check', '--write', ...(paths.length > 0 ? paths : ['.'])], { stdio: 'inherit' });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
