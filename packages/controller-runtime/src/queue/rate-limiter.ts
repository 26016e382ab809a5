// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/** Returns how long a key has to wait before its next attempt. */
export interface RateLimiter<K> {
  /**
   * The delay in milliseconds before the next attempt; each call counts as a failure.
   * @param alone the delay depends on this key only: it does not use the bucket that all keys share
   */
  when(key: K, alone?: boolean): number;
  /** The key succeeded or is dropped: the count of its failures starts again. */
  forget(key: K): void;
  /** Failures since the last `forget`. */
  failures(key: K): number;
}

/** Doubles the delay of a key at each failure: `base`, 2 `base`, 4 `base` ... up to `limit`, in milliseconds. */
export function exponentialPerKey<K>(base = 5, limit = 1_000_000): RateLimiter<K> {
  const counts = new Map<K, number>();
  return {
    when(key) {
      const failures = counts.get(key) ?? 0;
      counts.set(key, failures + 1);
      return Math.min(limit, base * 2 ** failures);
    },
    forget: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

/**
 * One token bucket for all keys: `burst` attempts at once, then `perSecond`. Each call takes a token; if there is none,
 * the delay is the time until there would be one, at most `limit` milliseconds, so that no key waits for long because
 * of others.
 */
export function tokenBucket<K>(
  clock: Pick<Clock, 'monotonic'>,
  perSecond = 10,
  burst = 100,
  limit = 10_000,
): RateLimiter<K> {
  const deepest = -(limit / 1000) * perSecond;
  let tokens = burst;
  let filledAt = clock.monotonic();
  return {
    when(_key, alone) {
      if (alone) return 0;
      const now = clock.monotonic();
      tokens = Math.max(deepest, Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond) - 1);
      filledAt = now;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    forget: () => undefined,
    failures: () => 0,
  };
}

/** The longest delay of the limiters. */
export function longestOf<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key, alone) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key, alone)), 0),
    forget: (key) => limiters.forEach((limiter) => void limiter.forget(key)),
    failures: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.failures(key)), 0),
  };
}

/**
 * The most tenants that have a bucket of their own. Beyond that, the bucket of the tenant whose last failure is oldest
 * is dropped; that tenant starts again with a full bucket.
 */
const mostTenants = 1024;

/** A separate limiter for each tenant, so that no tenant waits because of the failures of others. */
function perTenant<K>(tenantOf: (key: K) => string, make: () => RateLimiter<K>): RateLimiter<K> {
  const limiters = new Map<string, RateLimiter<K>>();
  return {
    when(key, alone) {
      const tenant = tenantOf(key);
      const limiter = limiters.get(tenant) ?? make();
      limiters.delete(tenant);
      limiters.set(tenant, limiter);
      const [oldest] = limiters.keys();
      if (limiters.size > mostTenants && oldest !== undefined) limiters.delete(oldest);
      return limiter.when(key, alone);
    },
    forget: (key) => limiters.get(tenantOf(key))?.forget(key),
    failures: (key) => limiters.get(tenantOf(key))?.failures(key) ?? 0,
  };
}

/**
 * The default of controllers: 5 ms to 1000 s per key, and ten a second (a hundred at once) for all keys of a tenant. No
 * key waits longer than ten seconds because of other keys.
 *
 * @param tenantOf the tenant of a key. @default all keys have the same tenant
 */
export function defaultRateLimiter<K>(
  clock: Pick<Clock, 'monotonic'>,
  tenantOf: (key: K) => string = () => '',
): RateLimiter<K> {
  return longestOf(
    exponentialPerKey<K>(),
    perTenant(tenantOf, () => tokenBucket<K>(clock)),
  );
}
