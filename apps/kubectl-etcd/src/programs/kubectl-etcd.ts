// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CliError } from '../cli-error.ts';
import { runCommand } from '../run-command.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));

// It never rejects; and a file that may be CommonJS cannot await it here.
void runCommand(
  process.argv.slice(2),
  {
    env: process.env,
    out: (words) => process.stdout.write(words),
    err: (words) => process.stderr.write(words),
    stdin: process.stdin,
    readFile: async (file) => {
      try {
        return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
      } catch (error) {
        throw new CliError('BadFile', `${file} cannot be read: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    },
  },
  stop.signal,
).then((status) => {
  process.exitCode = status;
});
