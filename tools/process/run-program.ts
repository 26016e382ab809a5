// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';

/** How a program is run to its end. */
export interface RunOptions {
  readonly cwd?: string;
  /** @default that of this process */
  readonly environment?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** @default that of this process */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** After this time it is killed, and that is a failure. */
  readonly timeoutMilliseconds?: number;
  /** Kills it. The promise rejects with the signal's reason, once it has ended. */
  readonly signal?: AbortSignal;
  /**
   * It gets a process group of its own, so that its child processes are killed with it; but Ctrl-C no longer ends it.
   *
   * @default false
   */
  readonly withChildren?: boolean;
  /**
   * How much of each stream is kept: its end, where programs print errors.
   *
   * @default all of it
   */
  readonly keptCharacters?: number;
}

/** The output of a program and how it ended. `missing`: it cannot be started. */
export interface RunResult {
  readonly outcome: 'ok' | 'failed' | 'missing';
  /** The exit status; as in a shell 137 if a signal ended it, and 127 if it is missing. */
  readonly status: number;
  /** The same in words: a status, the name of a signal, or why it cannot be started. */
  readonly ending: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell and returns its output. Rejects only when aborted. */
export async function runProgram(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { signal, timeoutMilliseconds } = options;
  signal?.throwIfAborted();
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: options.environment ?? process.env,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...options.user,
    detached: options.withChildren ?? false,
  });
  const kill = () => killWhole(child, options.withChildren ?? false);
  const limit = timeoutMilliseconds === undefined ? undefined : setTimeout(kill, timeoutMilliseconds);
  signal?.addEventListener('abort', kill, { once: true });
  // A program may end before it has read all its input.
  child.stdin?.on('error', () => undefined).end(options.input);
  try {
    const result = await collect(child, options.keptCharacters);
    signal?.throwIfAborted();
    return result;
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', kill);
  }
}

/** The standard output of a program that must succeed. */
export async function outputOf(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await runProgram(argv, options);
  if (result.outcome === 'ok') return result.stdout;
  throw new Error(failureOf(argv, result));
}

/** A sentence that says what a program said last. */
export function failureOf(argv: readonly string[], { outcome, ending, stdout, stderr }: RunResult): string {
  if (outcome === 'missing') return `${argv[0]} could not be run: ${ending}`;
  const words = (stderr.trim() || stdout.trim()).slice(-2000);
  return `${argv.join(' ').slice(0, 300)} ended with ${ending}: ${words}`;
}

function collect(child: ChildProcess, most: number | undefined): Promise<RunResult> {
  const kept = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      kept[stream] += text;
      if (most !== undefined) kept[stream] = kept[stream].slice(-most);
    });
  }
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ ...kept, outcome: 'missing', status: 127, ending: message }));
    child.once('close', (code, signal) => {
      const ending = signal ?? String(code);
      resolve({ ...kept, outcome: code === 0 ? 'ok' : 'failed', status: code ?? 137, ending });
    });
  });
}

function killWhole(child: ChildProcess, withChildren: boolean): void {
  if (child.pid === undefined) return;
  try {
    process.kill(withChildren ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
