// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';

/** Commands are typed here. */
export interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A long-running program in a separate terminal. */
export interface Running extends AsyncDisposable {
  /** Its output so far, by lines. */
  readonly lines: readonly string[];
  /** The group of `pattern` in the first matching line. Rejects if the program ends first. */
  says(pattern: RegExp): Promise<string>;
}

/** Types a command and returns its output. */
export async function type(command: string, place: Place): Promise<string> {
  const { status, text } = await attempt(command, place);
  if (status !== 0) throw new Error(`"${command}" ended with status ${status}:\n${text}`);
  return text;
}

/** Like `type`, but the command may fail. */
export function attempt(
  command: string,
  { folder, env }: Place,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ status, text: `${stdout}${stderr}`.trimEnd() });
    });
  });
}

/** Types a command that does not end. It ends, with its child processes, when the value is disposed. */
export function keepRunning(command: string, { folder, env }: Place): Running {
  const child = spawn('sh', ['-c', command], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const news = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      news.emit('line');
    });
  }
  const exit = once(child, 'exit').then(() => news.emit('line'));
  return {
    lines,
    async says(pattern) {
      for (;;) {
        const found = lines.map((line) => pattern.exec(line)?.[1]).find((match) => match !== undefined);
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`"${command}" ended:\n${lines.join('\n')}`);
        await once(news, 'line');
      }
    },
    async [Symbol.asyncDispose]() {
      endGroup(child);
      await exit;
    },
  };
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
}
