// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '@etcd-operator/ports';
import type { Transport } from './transport.ts';
import { transportError } from './transport-error.ts';

export interface RateLimitOptions {
  /** Requests a second in the long run. */
  readonly requestsPerSecond: number;
  /** Requests that may be sent at once after a quiet time. @default requestsPerSecond, at least 1 */
  readonly burst?: number;
  readonly clock?: Clock;
}

/**
 * Slows requests down to a rate, in the order they come. Off unless asked for: API servers defend themselves by priority
 * and fairness, and a client that waits on its own only hides the load.
 */
export function withRateLimit(transport: Transport, options: RateLimitOptions): Transport {
  const bucket = new TokenBucket(options);
  return {
    request: async (request) => {
      try {
        await bucket.take(request.signal);
      } catch (error) {
        throw transportError(error, request, request.signal);
      }
      return transport.request(request);
    },
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  };
}

/** Tokens that come back with time. Callers that find none wait in line: each takes a later moment than the one before. */
class TokenBucket {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #burst: number;
  /** When the bucket was, or will be, empty. */
  #empty: number;

  constructor(options: RateLimitOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#interval = 1000 / options.requestsPerSecond;
    this.#burst = options.burst ?? Math.max(1, options.requestsPerSecond);
    this.#empty = this.#clock.monotonic() - this.#burst * this.#interval;
  }

  /** Resolves when the caller may go on. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    this.#empty = Math.max(this.#empty, now - this.#burst * this.#interval) + this.#interval;
    const wait = this.#empty - now;
    if (wait <= 0) return;
    try {
      await this.#clock.sleep(wait, signal);
    } catch (error) {
      this.#empty -= this.#interval;
      throw error;
    }
  }
}
