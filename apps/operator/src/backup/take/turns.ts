// SPDX-License-Identifier: Apache-2.0
import type { Turn } from './take-backup.ts';

const mebibyte = 1024 * 1024;

/**
 * Who may move bytes: so many at once and no more, first come, first served. Whoever is alone may use more memory; together
 * they stay within what the program may take.
 */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  async take(signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    if (this.#taken >= this.#limit) await this.#wait(signal);
    else this.#taken += 1;
    let isOver = false;
    return {
      bufferBytes: (this.#taken === 1 ? 24 : 8) * mebibyte,
      [Symbol.dispose]: () => {
        if (!isOver) this.#release();
        isOver = true;
      },
    };
  }

  /** A turn that is given back goes to who waits longest, without ever being free. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = () => resolve();
    const leave = () => {
      const place = this.#waiting.indexOf(give);
      if (place >= 0) this.#waiting.splice(place, 1);
      reject(signal.reason);
    };
    this.#waiting.push(give);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}
