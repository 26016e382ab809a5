// SPDX-License-Identifier: Apache-2.0
import type { Lease } from '@etcd-operator/kube';

/** What was last seen of a lease, and when, by our own monotonic clock: other machines' clocks are not trusted. */
export interface Observation {
  /** Holder, times and transitions as one text: it changes whenever the holder gives a sign of life. */
  readonly sign: string;
  readonly at: number;
  /** Who held it, and until when it may be at work; a lease that vanishes or is emptied by hand does not end that. */
  readonly holder: string;
  readonly until: number;
}

/** What a candidate may do about a lease. */
export type Verdict =
  /** Nobody holds it, or we do. */
  | { readonly type: 'take' }
  /** Somebody else does, until `until` (monotonic) unless they give a sign of life. */
  | { readonly type: 'wait'; readonly holder: string; readonly until: number };

/** The observation that follows when `lease` is seen at `now`. */
export function observe(lease: Lease, previous: Observation | undefined, now: number): Observation {
  const { holderIdentity, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  const sign = JSON.stringify([holderIdentity, acquireTime, renewTime, leaseTransitions]);
  if (previous?.sign === sign) return previous;
  const promised = now + (lease.spec?.leaseDurationSeconds ?? 15) * 1000;
  if (holderIdentity) return { sign, at: now, holder: holderIdentity, until: promised };
  // Who gives a lease back says so by a duration of a second. One that was emptied in another way may still be held by somebody.
  const isReleased = (lease.spec?.leaseDurationSeconds ?? 0) <= 1;
  return { sign, at: now, holder: previous?.holder ?? '', until: isReleased ? now : (previous?.until ?? now) };
}

/**
 * Judges a lease, or the absence of one that was seen before: it is free when its holder gave it back, or has given no sign of life
 * for the time the holder promised.
 */
export function judge(lease: Lease | undefined, seen: Observation | undefined, identity: string, now: number): Verdict {
  if (seen === undefined || lease?.spec?.holderIdentity === identity) return { type: 'take' };
  const { holder, until } = seen;
  return holder === identity || now >= until ? { type: 'take' } : { type: 'wait', holder, until };
}
