// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { RuntimeError } from './runtime-error.ts';

/** Output beyond this many characters is dropped. */
const outputLimit = 1_048_576;

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end without blocking the event loop. Resolves whatever its exit code; rejects if it cannot be run. */
export function tryCommand(file: string, args: readonly string[], input?: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < outputLimit) output[name] += text;
      });
    }
    // Ignored: a program may end without reading its input. Its exit code tells the result.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('error', (cause) =>
      reject(new RuntimeError('CommandFailed', `cannot run ${file}: ${cause.message}`, { cause })),
    );
    child.on('close', (code) => resolve({ exitCode: code ?? -1, ...output }));
  });
}

/**
 * Like `tryCommand`, but an exit code other than 0 is a `CommandFailed` with the program's error output. Returns its
 * output.
 */
export async function runCommand(file: string, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await tryCommand(file, args, input);
  if (exitCode === 0) return stdout;
  const words = stderr.trim() || stdout.trim() || `exit code ${exitCode}`;
  throw new RuntimeError('CommandFailed', `${basename(file)} ${args.join(' ')}: ${words}`);
}
