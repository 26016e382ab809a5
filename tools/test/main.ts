// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

const child = spawn('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit' });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
