// SPDX-License-Identifier: Apache-2.0
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { MinimumSpeed } from '../read/fail-when-slow.ts';

/** How temporary faults are retried. */
export interface RetryPolicy {
  /** The maximum number of attempts per request. @default 8 */
  readonly attempts?: number;
  /** The pause before the second attempt; it doubles each time. @default 250 */
  readonly firstDelayMs?: number;
  /** @default 15000 */
  readonly maxDelayMs?: number;
  /** The time limit of one request, in addition to the time for its bytes. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** A slower link counts as broken, in both directions. @default 128 KiB/s */
  readonly slowestBytesPerSecond?: number;
}

/** The dependencies of every store. */
export interface StorePorts {
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
  /** @default `silentLogger` */
  readonly logger?: Logger;
  readonly retry?: RetryPolicy;
  /**
   * Throws if requests to the store are no longer allowed. Called before each request and whenever bytes are sent.
   * @default none: requests are always allowed
   */
  readonly fence?: () => void;
}

/** One request: its purpose, for messages, and how many bytes it transfers. */
export interface Request {
  readonly what: string;
  readonly bytes?: number;
}

const usualPolicy: Required<RetryPolicy> = {
  attempts: 8,
  firstDelayMs: 250,
  maxDelayMs: 15_000,
  requestTimeoutMs: 30_000,
  slowestBytesPerSecond: 128 * 1024,
};

/**
 * Repeats a request until it succeeds, fails permanently, or the limit of attempts is reached. Each attempt gets its
 * own signal, which also ends the attempt at its time limit.
 *
 * @param errorOf converts the error of a request to the package's error
 */
export class Attempts {
  readonly clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #errorOf: (error: unknown, what: string) => BlobError;
  readonly #policy: Required<RetryPolicy>;
  readonly #fence: (() => void) | undefined;

  constructor(ports: StorePorts, errorOf: (error: unknown, what: string) => BlobError) {
    this.clock = ports.clock ?? systemClock;
    this.#random = ports.random ?? systemRandom;
    this.#logger = ports.logger ?? silentLogger;
    this.#errorOf = errorOf;
    this.#policy = { ...usualPolicy, ...ports.retry };
    this.#fence = ports.fence;
  }

  /** Makes a request, with retries. Rejects with a `BlobError`, with `Aborted` as soon as `signal` is aborted. */
  async run<T>(
    request: Request,
    signal: AbortSignal | undefined,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.once(request, signal, make);
      } catch (thrown) {
        await this.pause(this.error(thrown, request.what, signal), failures, request.what, signal);
      }
    }
  }

  /**
   * Makes a request once. Its signal ends it at its time limit; after it has resolved, only `signal` does, so that an
   * opened body can be read for longer.
   */
  async once<T>(
    { what, bytes }: Request,
    signal: AbortSignal | undefined,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) throw stopped(what, signal);
    this.#passFence(what);
    const limit = this.limitMs(bytes);
    const over = new AbortController();
    const timer = this.clock.schedule(limit, () => over.abort());
    try {
      return await make(signal ? AbortSignal.any([signal, over.signal]) : over.signal);
    } catch (thrown) {
      if (!over.signal.aborted || signal?.aborted) throw this.error(thrown, what, signal);
      throw new BlobError('Timeout', `${what}: no response within ${Math.round(limit / 1000)} s`);
    } finally {
      timer.cancel();
    }
  }

  /** Waits before the next attempt, or throws the error if there is none. */
  async pause(error: BlobError, failures: number, what: string, signal: AbortSignal | undefined): Promise<void> {
    if (!error.retryable || failures >= this.#policy.attempts) throw error;
    const delay = this.#delay(error, failures);
    this.#logger.debug('request to the backup store failed; retrying', {
      request: what,
      failures,
      delayMs: Math.round(delay),
      error,
    });
    try {
      await this.clock.sleep(delay, signal);
    } catch (thrown) {
      throw this.error(thrown, what, signal);
    }
  }

  /** Converts any error to a `BlobError`. */
  error(thrown: unknown, what: string, signal: AbortSignal | undefined): BlobError {
    if (signal?.aborted) return stopped(what, signal);
    return thrown instanceof BlobError ? thrown : this.#errorOf(thrown, what);
  }

  #passFence(what: string): void {
    try {
      this.#fence?.();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BlobError('Aborted', `${what}: nothing is sent to the backup store: ${why}`, { cause });
    }
  }

  /** The minimum speed of an answer. */
  get pace(): MinimumSpeed {
    const { requestTimeoutMs: idleTimeoutMs, slowestBytesPerSecond } = this.#policy;
    return { idleTimeoutMs, slowestBytesPerSecond };
  }

  /** The time limit of a request of this size. */
  limitMs(bytes = 0): number {
    return this.#policy.requestTimeoutMs + (bytes * 1000) / this.#policy.slowestBytesPerSecond;
  }

  /** Half of the pause is random, so that callers that failed together do not retry together. */
  #delay(error: BlobError, failures: number): number {
    const { firstDelayMs, maxDelayMs } = this.#policy;
    const grown = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
    const jittered = grown * (0.5 + this.#random.next() / 2);
    return Math.min(maxDelayMs, Math.max(jittered, error.retryAfterMs ?? 0));
  }
}

/** The error for an aborted call. */
function stopped(what: string, signal: AbortSignal): BlobError {
  return new BlobError('Aborted', `${what}: stopped by the caller`, { cause: signal.reason });
}
