// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@etcd-operator/ports';
import { memoryIsShort } from './memory-shortage.ts';

const mebibyte = 1024 * 1024;

const lookAgainAfter = 2_000;

/** Permission to transfer bytes, until it is disposed of. */
export interface Turn extends Disposable {
  readonly bufferBytes: number;
}

/** How many turns there are besides the shared ones, for each of those. */
const sparePerShared = 3;

/**
 * Who may move bytes: so many at once and no more, in turn by namespace.
 *
 * - As many as `shared` are for everybody; one namespace may take them all while it is alone.
 * - A namespace that has none gets one even then, as long as there are spare ones: nobody waits for the slow stores of others, unless
 *   `most` namespaces move bytes at the same time.
 * - What becomes free goes to the waiting namespace that has the fewest; among equals, to the one whose last turn is longest ago, and
 *   within it to who came first.
 *
 * - While memory is short, there are no spare ones, and a namespace has one at a time: late is better than a process that the kernel ends,
 *   and with it the transfers of all.
 *
 * Whoever is alone may use more memory; together they stay within what the program may take: `most` times 8 MiB, and a little.
 */
export class Turns {
  readonly #shared: number;
  readonly #most: number;
  readonly #isShort: () => boolean;
  readonly #clock: Clock;
  #recheck: Timer | undefined;
  /** How many each namespace has; none is not listed. */
  readonly #held = new Map<string, number>();
  /** Those who wait, by namespace; who was served last stands at the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #taken = 0;

  constructor(shared: number, clock: Clock, isShort: () => boolean = () => memoryIsShort()) {
    this.#shared = shared;
    this.#clock = clock;
    this.#isShort = isShort;
    this.#most = shared * (1 + sparePerShared);
  }

  get taken(): number {
    return this.#taken;
  }

  async take(namespace: string, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    // Those that already wait for memory come before new ones.
    this.#serve();
    if (this.#mayTake(namespace)) this.#give(namespace);
    else await this.#wait(namespace, signal);
    let isOver = false;
    return {
      bufferBytes: (this.#taken === 1 && !this.#isShort() ? 24 : 8) * mebibyte,
      [Symbol.dispose]: () => {
        if (!isOver) this.#release(namespace);
        isOver = true;
      },
    };
  }

  #heldBy(namespace: string): number {
    return this.#held.get(namespace) ?? 0;
  }

  #mayTake(namespace: string): boolean {
    const hasNone = this.#heldBy(namespace) === 0;
    if (this.#isShort()) return this.#taken < this.#shared && hasNone;
    return this.#taken < (hasNone ? this.#most : this.#shared);
  }

  #give(namespace: string): void {
    this.#taken += 1;
    this.#held.set(namespace, this.#heldBy(namespace) + 1);
  }

  #release(namespace: string): void {
    this.#taken -= 1;
    const left = this.#heldBy(namespace) - 1;
    if (left > 0) this.#held.set(namespace, left);
    else this.#held.delete(namespace);
    this.#serve();
  }

  /** Assigns free turns synchronously, so that no later request gets in between. */
  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const line = this.#waiting.get(next) ?? [];
      const begin = line.shift();
      this.#waiting.delete(next);
      if (line.length > 0) this.#waiting.set(next, line);
      this.#give(next);
      begin?.();
    }
  }

  /** The waiting namespace that is to be served now. */
  #next(): string | undefined {
    let next: string | undefined;
    for (const namespace of this.#waiting.keys()) {
      if (next === undefined || this.#heldBy(namespace) < this.#heldBy(next)) next = namespace;
    }
    return next !== undefined && this.#mayTake(next) ? next : undefined;
  }

  async #wait(namespace: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      // It has its turn now, and gives it back itself, whatever the signal says.
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      const line = this.#waiting.get(namespace)?.filter((one) => one !== begin) ?? [];
      if (line.length > 0) this.#waiting.set(namespace, line);
      else this.#waiting.delete(namespace);
      reject(signal.reason);
    };
    const line = this.#waiting.get(namespace);
    if (line) line.push(begin);
    else this.#waiting.set(namespace, [begin]);
    signal.addEventListener('abort', leave, { once: true });
    this.#lookAgain();
    await promise;
  }

  /** There is no notification when memory is free again. */
  #lookAgain(): void {
    if (this.#waiting.size === 0 || this.#recheck) return;
    this.#recheck = this.#clock.schedule(
      lookAgainAfter,
      () => {
        this.#recheck = undefined;
        this.#serve();
        this.#lookAgain();
      },
      { background: true },
    );
  }
}
