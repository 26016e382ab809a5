// SPDX-License-Identifier: Apache-2.0
import type { Lease } from '@operator-parts/kube';

/** The last observation of a lease, with our own monotonic time: the clocks of other machines are not trusted. */
export interface Observation {
  /** Holder, times and transitions as one string: it changes at every renewal. */
  readonly sign: string;
  readonly at: number;
  /**
   * The last holder, and until when it may still be working. Deleting or emptying the lease by hand does not shorten
   * this.
   */
  readonly holder: string;
  readonly until: number;
}

/** What a candidate may do about a lease. */
export type Verdict =
  /** The lease is free, or ours. */
  | { readonly type: 'take' }
  /** Another candidate holds it until `until` (monotonic), unless it renews. */
  | { readonly type: 'wait'; readonly holder: string; readonly until: number };

/** The observation after seeing `lease` at `now`. */
export function observe(lease: Lease, previous: Observation | undefined, now: number): Observation {
  const { holderIdentity, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  const sign = JSON.stringify([holderIdentity, acquireTime, renewTime, leaseTransitions]);
  if (previous?.sign === sign) return previous;
  const promised = now + (lease.spec?.leaseDurationSeconds ?? 15) * 1000;
  if (holderIdentity) return { sign, at: now, holder: holderIdentity, until: promised };
  // A holder that releases the lease sets a duration of one second. If the lease was emptied in another way, the holder
  // may still be working.
  const isReleased = (lease.spec?.leaseDurationSeconds ?? 0) <= 1;
  return { sign, at: now, holder: previous?.holder ?? '', until: isReleased ? now : (previous?.until ?? now) };
}

/**
 * Judges a lease, or the absence of a lease that was seen before. The lease is free if its holder released it, or has
 * not renewed it for the lease duration.
 */
export function judge(lease: Lease | undefined, seen: Observation | undefined, identity: string, now: number): Verdict {
  if (seen === undefined || lease?.spec?.holderIdentity === identity) return { type: 'take' };
  const { holder, until } = seen;
  return holder === identity || now >= until ? { type: 'take' } : { type: 'wait', holder, until };
}
