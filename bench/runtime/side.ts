// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import { memoryOf } from '@etcd-operator/tools';

/** A program's answer to a word. */
export type Answer = Readonly<Record<string, number>>;

/**
 * A process of one side. It reads words on standard input and answers each with a line of JSON; it ends with its input.
 * Both sides use the same protocol, so that the same code measures them.
 */
export class Side implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  readonly #said: string[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (!child.stdout || !child.stderr) throw new Error('the process has no output');
    this.#reader = createInterface(child.stdout);
    this.#lines = this.#reader[Symbol.asyncIterator]();
    createInterface(child.stderr).on('line', (line) => this.#said.push(line));
  }

  /** Starts a program and waits until it is ready for commands. */
  static async start(argv: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Side> {
    const [command = '', ...args] = argv;
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env }, signal });
    child.on('error', () => undefined);
    await once(child, 'spawn');
    const side = new Side(child);
    await side.#answer(args.join(' '));
    return side;
  }

  /** Sends a word and waits for the answer. */
  async tell(word: string): Promise<Answer> {
    this.#child.stdin?.write(`${word}\n`);
    return this.#answer(word);
  }

  /** This process's share of memory in megabytes, after it freed unused memory. */
  async settledMegabytes(): Promise<number> {
    await this.tell('gc');
    const rollup = await readFile(`/proc/${this.#child.pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024;
  }

  /** Its peak memory in megabytes. */
  peakMegabytes(): number {
    return memoryOf(this.#child.pid).peak / 1024 ** 2;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
    this.#reader.close();
  }

  async #answer(word: string): Promise<Answer> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`a side ended at "${word}": ${this.#said.slice(-20).join('\n')}`);
    return JSON.parse(value) as Answer;
  }
}
