// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { ClusterError } from './cluster-error.ts';

/** How a program is run to its end. */
export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** @default 240 000 ms; then it is killed, and that is a failure */
  readonly timeoutMilliseconds?: number;
  readonly signal?: AbortSignal;
}

/** The output of a program and how it ended. */
export interface RunResult {
  /** The exit status; 128 or more if a signal ended it. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Administration programs are not on every user's PATH. */
export const systemPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`;

/** Runs a program without a shell and returns its output. Rejects only if it does not exist, or when aborted. */
export function runProgram(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, PATH: systemPath, ...options.environment },
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMilliseconds ?? 240_000,
      killSignal: 'SIGKILL',
      ...(options.signal && { signal: options.signal }),
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text;
      });
    }
    child.once('error', (cause) => {
      reject(new ClusterError('CommandFailed', `${program} could not be run: ${cause.message}`, { cause }));
    });
    child.once('close', (code) => resolve({ ...said, status: code ?? 137 }));
    // A program may end before it has read all its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/** The same for a program that must succeed; resolves with its standard output. */
export async function runOrFail(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await runProgram(argv, options);
  if (status === 0) return stdout;
  const words = (stderr.trim() || stdout.trim()).slice(-2000);
  throw new ClusterError('CommandFailed', `${argv.join(' ').slice(0, 300)} ended with ${status}: ${words}`);
}
