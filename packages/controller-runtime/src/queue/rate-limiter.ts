// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';

/** Says how long a key has to wait before it is tried again. */
export interface RateLimiter<K> {
  /**
   * The delay in milliseconds of the next try; each call counts as a failure.
   * @param alone the key's own affair: other keys do not wait for it, nor it for them
   */
  when(key: K, alone?: boolean): number;
  /** The key succeeded, or is given up: its next failure is its first. */
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
 * One bucket for all keys: `burst` tries at once, then `perSecond`. Each call takes a token, on credit if need be, and the
 * delay is the time until the credit is paid back; at most `limit` milliseconds, so that no key waits for long because of others.
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

/** The longest delay any of the limiters asks for. */
export function longestOf<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key, alone) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key, alone)), 0),
    forget: (key) => limiters.forEach((limiter) => void limiter.forget(key)),
    failures: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.failures(key)), 0),
  };
}

/** How many tenants have a bucket of their own at most; who has not failed for longest begins with a full one again. */
const mostTenants = 1024;

/** A limiter for the keys of each tenant, so that nobody waits because of the failures of others. */
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
 * What controllers use unless told otherwise: 5 ms to 1000 s per key, and ten a second (a hundred at once) over all keys of a tenant, for
 * which no key waits longer than ten seconds.
 *
 * @param tenantOf whose a key is. @default all are of one tenant
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
