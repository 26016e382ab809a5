// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';

/** How much of each stream is kept: its end, where tools print errors. */
const keptCharacters = 256 * 1024;

export interface CommandOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** How a command ended. `missing`: the program does not exist. */
export interface CommandResult {
  readonly outcome: 'ok' | 'failed' | 'missing';
  readonly stdout: string;
  readonly stderr: string;
  /** Exit status, or the name of the signal that ended it. */
  readonly status: string;
}

/**
 * Runs a program without a shell, in a separate process group, so that its child processes end with it. Rejects only
 * when aborted, with the signal's reason; by then the whole group has ended.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const onAbort = () => endGroup(child);
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await collect(child);
    options.signal.throwIfAborted();
    return result;
  } finally {
    options.signal.removeEventListener('abort', onAbort);
  }
}

function collect(child: ChildProcess): Promise<CommandResult> {
  const kept = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      kept[stream] = (kept[stream] + text).slice(-keptCharacters);
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ...kept, outcome: 'missing', status: error.message }));
    child.once('close', (code, signal) => {
      resolve({ ...kept, outcome: code === 0 ? 'ok' : 'failed', status: signal ?? String(code) });
    });
  });
}

/** SIGKILL at once: its directory is removed, so it needs no clean-up. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
