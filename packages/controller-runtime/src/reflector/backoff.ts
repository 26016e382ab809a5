// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from '@operator-parts/ports';

export interface BackoffOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly random: Pick<Random, 'next'>;
  /** The shortest pause, in milliseconds. @default 800 */
  readonly base?: number;
  /** The longest pause, in milliseconds. @default 30000 */
  readonly limit?: number;
  /** After this long without a failure the shortest pause applies again, in milliseconds. @default 120000 */
  readonly calm?: number;
}

/**
 * Pauses between failing attempts: from `base`, doubled each time, up to `limit`, with random jitter up to twice the
 * length so that many clients do not return at the same time.
 */
export class Backoff {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: Pick<Random, 'next'>;
  readonly #base: number;
  readonly #limit: number;
  readonly #calm: number;
  #failures = 0;
  #quietSince = Number.NEGATIVE_INFINITY;

  constructor(options: BackoffOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#base = options.base ?? 800;
    this.#limit = options.limit ?? 30_000;
    this.#calm = options.calm ?? 120_000;
  }

  /** The pause after one more failure, in milliseconds; never longer than `limit`. */
  next(limit = this.#limit): number {
    const now = this.#clock.monotonic();
    if (now - this.#quietSince >= this.#calm) this.#failures = 0;
    const step = Math.min(limit, this.#base * 2 ** this.#failures);
    const pause = Math.min(limit, step * (1 + this.#random.next()));
    this.#failures++;
    this.#quietSince = now + pause;
    return pause;
  }
}
