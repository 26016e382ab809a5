// SPDX-License-Identifier: Apache-2.0
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One write, as a line of the log. */
export interface Entry {
  readonly key: string;
  readonly value: string;
}

/**
 * All data of the database: a file with one line per write, and a table with the result. The number of lines is the
 * revision. A write is durable when `append` has returned.
 */
export class LogFile {
  readonly #file: number;
  readonly #lines: string[] = [];
  readonly #table = new Map<string, string>();

  constructor(path: string) {
    this.#file = openSync(path, 'a+');
    const whole = wholeLines(readFileSync(this.#file));
    ftruncateSync(this.#file, whole.length);
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) this.#remember(line);
  }

  get revision(): number {
    return this.#lines.length;
  }

  get(key: string): string | undefined {
    return this.#table.get(key);
  }

  append(entries: readonly Entry[]): void {
    const lines = entries.map((entry) => JSON.stringify(entry));
    if (lines.length === 0) return;
    writeSync(this.#file, `${lines.join('\n')}\n`);
    fsyncSync(this.#file);
    for (const line of lines) this.#remember(line);
  }

  /** The writes after a revision. */
  after(revision: number): readonly Entry[] {
    return this.#lines.slice(revision).map((line) => JSON.parse(line) as Entry);
  }

  close(): void {
    closeSync(this.#file);
  }

  #remember(line: string): void {
    const { key, value } = JSON.parse(line) as Entry;
    this.#lines.push(line);
    this.#table.set(key, value);
  }
}

/** An incomplete last line is a write that was never acknowledged. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}
