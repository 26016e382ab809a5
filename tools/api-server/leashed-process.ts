// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The shell connects the program to us with a pipe: when we end, in any way, the pipe closes, and the program ends. */
const leash = 'exec 3<&0; "$@" 3<&- & child=$!; (cat <&3 >/dev/null; kill -9 $child 2>/dev/null) & wait $child';

/** Timeout for a program to become ready, in milliseconds. */
export const startLimit = 90_000;

/** A program that never outlives this process, even if this process is killed. */
export class LeashedProcess implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #logFile: string;
  readonly #name: string;

  private constructor(name: string, shell: ChildProcess, logFile: string) {
    this.#name = name;
    this.#shell = shell;
    this.#logFile = logFile;
  }

  static async start(
    name: string,
    program: string,
    flags: readonly string[],
    logFile: string,
  ): Promise<LeashedProcess> {
    const log = createWriteStream(logFile);
    await once(log, 'open');
    const shell = spawn('/bin/sh', ['-c', leash, 'leash', program, ...flags], { stdio: ['pipe', log, log] });
    await once(shell, 'spawn');
    log.close();
    return new LeashedProcess(name, shell, logFile);
  }

  /**
   * Polls until `ready` returns true; fails with the end of the log if the program exits before or exceeds the limit.
   */
  async until(ready: () => Promise<boolean>, limit: number): Promise<void> {
    const end = performance.now() + limit;
    while (performance.now() < end && this.#shell.exitCode === null) {
      if (await ready()) return;
      await sleep(50);
    }
    const log = await readFile(this.#logFile, 'utf8');
    const what = this.#shell.exitCode === null ? `was not ready after ${limit / 1000} s` : 'ended';
    throw new Error(`${this.#name} ${what}; the end of its log:\n${log.slice(-3000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const ended = once(this.#shell, 'exit');
    this.#shell.stdin?.end();
    await ended;
  }
}

/** A program that can be stopped and started again. */
export class Restartable implements AsyncDisposable {
  readonly #start: () => Promise<LeashedProcess>;
  #process: LeashedProcess;

  private constructor(start: () => Promise<LeashedProcess>, process: LeashedProcess) {
    this.#start = start;
    this.#process = process;
  }

  static async start(start: () => Promise<LeashedProcess>): Promise<Restartable> {
    return new Restartable(start, await start());
  }

  get process(): LeashedProcess {
    return this.#process;
  }

  stop(): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }

  async start(): Promise<void> {
    this.#process = await this.#start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
