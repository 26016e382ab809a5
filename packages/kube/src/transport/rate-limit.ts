// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '@etcd-operator/ports';
import type { Transport } from './transport.ts';
import { transportError } from './transport-error.ts';

export interface RateLimitOptions {
  /** Average requests per second. */
  readonly requestsPerSecond: number;
  /** Burst: requests that may be sent at once. @default requestsPerSecond, at least 1 */
  readonly burst?: number;
  readonly clock?: Clock;
}

/**
 * Limits the rate of requests, in order. Disabled by default: API servers protect themselves by priority and fairness,
 * and a client-side limit only hides the load.
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

/** A token bucket. Callers without a token wait in line: each takes a later time than the one before. */
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

  /** Resolves when the caller may continue. */
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
