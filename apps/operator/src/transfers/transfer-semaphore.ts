// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';
import { memoryIsShort } from './memory-shortage.ts';

const mebibyte = 1024 * 1024;

const recheckAfter = 2_000;

/** Permission to transfer bytes until it is disposed of. */
export interface TransferPermit extends Disposable {
  readonly bufferBytes: number;
}

/** The number of spare permits for each shared permit. */
const sparePerShared = 3;

/**
 * Limits how many transfers run at the same time, and shares the permits among namespaces.
 *
 * - All namespaces share `shared` permits; one namespace may have all of them while it is the only one.
 * - A namespace without a permit gets a spare permit if all shared permits are taken. So no namespace waits for the slow stores of other
 *   namespaces, unless `most` namespaces transfer bytes at the same time.
 * - A free permit goes to the waiting namespace with the fewest permits. If several namespaces have equally few, it goes to the namespace
 *   that was served longest ago, and within that namespace to the first request.
 * - While memory is short, there are no spare permits, and each namespace has at most one permit: a delay is better than an OOM kill, which
 *   would end the transfers of all namespaces.
 *
 * A single transfer may use more memory; several together stay within the limit of the program: `most` times 8 MiB, and a little more.
 */
export class TransferSemaphore {
  readonly #shared: number;
  readonly #most: number;
  readonly #isShort: () => boolean;
  readonly #clock: Clock;
  #recheck: Timer | undefined;
  /** Number of permits of each namespace; namespaces without permits are not in it. */
  readonly #held = new Map<string, number>();
  /** Waiting requests by namespace. The namespace that was served last is at the end. */
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

  async take(namespace: string, signal: AbortSignal): Promise<TransferPermit> {
    signal.throwIfAborted();
    // Requests that already wait for memory come before new requests.
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

  /** Assigns free permits synchronously, so that no later request gets in between. */
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

  /** The waiting namespace that gets the next free permit. */
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
      // The request has its permit now. The caller returns the permit, even if the signal aborts.
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
    this.#scheduleRecheck();
    await promise;
  }

  /** Checks again after a while, because there is no notification when memory becomes free. */
  #scheduleRecheck(): void {
    if (this.#waiting.size === 0 || this.#recheck) return;
    this.#recheck = this.#clock.schedule(
      recheckAfter,
      () => {
        this.#recheck = undefined;
        this.#serve();
        this.#scheduleRecheck();
      },
      { background: true },
    );
  }
}
