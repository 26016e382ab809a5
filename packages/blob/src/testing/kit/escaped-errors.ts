// SPDX-License-Identifier: Apache-2.0
import type { EventEmitter } from 'node:events';

/** The process events for uncaught errors; without a listener, either ends the process. */
const escapes = ['uncaughtException', 'unhandledRejection'] as const;

/** Abandoned connections may fail a little later. */
const aftermathMs = 20;

/** Collects errors that nobody has caught. */
export class EscapedErrors implements Disposable {
  readonly #process: Pick<EventEmitter, 'on' | 'off'>;
  readonly #add = (error: unknown) => void this.#seen.push(error);
  #seen: unknown[] = [];

  constructor(process: Pick<EventEmitter, 'on' | 'off'>) {
    this.#process = process;
    for (const event of escapes) process.on(event, this.#add);
  }

  /** The errors since the last call, after abandoned connections have had time to fail. */
  async taken(): Promise<readonly unknown[]> {
    await new Promise((resolve) => setTimeout(resolve, aftermathMs));
    const seen = this.#seen;
    this.#seen = [];
    return seen;
  }

  [Symbol.dispose](): void {
    for (const event of escapes) this.#process.off(event, this.#add);
  }
}
