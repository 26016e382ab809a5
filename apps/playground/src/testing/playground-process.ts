// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const sources = join(import.meta.dirname, '..');
const main = join(sources, 'main.ts');

/** The command that starts a playground with these arguments. */
export function playgroundCommand(...words: readonly string[]): string {
  return [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ');
}

/** A playground that prints plain lines. */
export class PlaygroundProcess {
  readonly lines: string[] = [];
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #isClosed = false;

  constructor(words: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.child, 'exit');
    // Only then is all output complete.
    this.child.once('close', () => {
      this.#isClosed = true;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async says(pattern: RegExp, milliseconds = 120_000): Promise<string> {
    const end = performance.now() + milliseconds;
    for (;;) {
      const found = this.lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (performance.now() > end || this.#isClosed)
        throw new Error(`${pattern} was not said:\n${this.lines.join('\n')}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Resolves with the exit status, or the name of the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | string | null> {
    if (this.child.exitCode === null) this.child.kill(signal);
    await this.#ended;
    return this.child.exitCode ?? this.child.signalCode;
  }
}

/** `npm run lab -- ...`, without npm. */
export function lab(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  timeout = 150_000,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(sources, 'lab.ts'), ...words], { env, timeout }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, text: `${stdout}${stderr}` });
    });
  });
}

/** The same, for a command that does not end. */
export function startLabCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { detached = false, stderr = 'inherit' as 'inherit' | 'pipe' } = {},
) {
  return spawn(process.execPath, [join(sources, 'lab.ts'), ...words], {
    env,
    detached,
    stdio: ['ignore', 'pipe', stderr],
  });
}

/** All descendants of a process. */
export function descendants(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readIfThere(join('/proc', name, 'stat'));
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(Number(name), parent);
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

export function isAlive(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat !== '' && !/\) [ZX] /.test(stat);
}

function readIfThere(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
