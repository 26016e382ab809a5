// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lab, PlaygroundProcess, startLabCommand } from './playground-process.ts';

/** A command in a separate terminal. */
export interface TypedProgram extends AsyncDisposable {
  /** The first matching line, as soon as there is one. */
  says(pattern: RegExp): Promise<string>;
}

/** A playground, and a user who types into its shell. */
export interface TypedPlayground extends AsyncDisposable {
  readonly playground: PlaygroundProcess;
  /** Types a line in the root of the repository; resolves with its output. Rejects if it fails. */
  type(line: string): Promise<string>;
  /** The same, for a line that may fail. */
  attempt(line: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Types a line that does not end, in a separate terminal; it ends when the value is disposed. */
  keepTyping(line: string): TypedProgram;
  /** Types a line repeatedly until it prints this, like a user who waits for something. */
  sees(line: string, pattern: RegExp, milliseconds?: number): Promise<string>;
}

/** Starts `npm start -- WORDS`, without npm. */
export function startTyping(words: readonly string[], more: Readonly<Record<string, string>> = {}): TypedPlayground {
  const runtime = mkdtempSync(join(tmpdir(), 'playground-test-'));
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime, ...more };
  const playground = new PlaygroundProcess(['--plain', ...words], env);
  const attempt = (line: string) => lab(['shell', 'bash', '-c', line], env, 280_000);
  const type = async (line: string) => {
    const { status, text } = await attempt(line);
    if (status !== 0) throw new Error(`$ ${line}\nended with ${status}:\n${text}\n\n${playground.lines.join('\n')}`);
    return text;
  };
  const sees = async (line: string, pattern: RegExp, milliseconds = 90_000) => {
    const end = performance.now() + milliseconds;
    for (;;) {
      const { text } = await attempt(line);
      if (pattern.test(text)) return text;
      if (performance.now() > end)
        throw new Error(`$ ${line}\nnever printed ${pattern}:\n${text}\n\n${playground.lines.join('\n')}`);
      await new Promise((done) => setTimeout(done, 300));
    }
  };
  return {
    playground,
    type,
    attempt,
    keepTyping: (line) => keepTyping(line, env),
    sees,
    async [Symbol.asyncDispose]() {
      await playground.end('SIGTERM');
      rmSync(runtime, { recursive: true, force: true });
    },
  };
}

function keepTyping(line: string, env: NodeJS.ProcessEnv): TypedProgram {
  // A separate process group: processes that the shell has started end with it.
  const child = startLabCommand(['shell', 'bash', '-c', line], env, { detached: true, stderr: 'pipe' });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (text) => lines.push(text));
  }
  const ended = once(child, 'exit');
  return {
    async says(pattern) {
      const end = performance.now() + 90_000;
      for (;;) {
        const found = lines.find((text) => pattern.test(text));
        if (found !== undefined) return found;
        if (performance.now() > end || child.exitCode !== null)
          throw new Error(`$ ${line}\nnever printed ${pattern}:\n${lines.join('\n')}`);
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}
