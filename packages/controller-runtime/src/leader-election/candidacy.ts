// SPDX-License-Identifier: Apache-2.0
import type { Lease } from '@etcd-operator/kube';

/** What was last seen of a lease, and when, by our own monotonic clock: other machines' clocks are not trusted. */
export interface Observation {
  /** Holder, times and transitions as one text: it changes whenever the holder gives a sign of life. */
  readonly sign: string;
  readonly at: number;
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
  return previous?.sign === sign ? previous : { sign, at: now };
}

/** Judges a lease: it is free when its holder has given no sign of life for the time the holder promised. */
export function judge(lease: Lease, observation: Observation, identity: string, now: number): Verdict {
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === '' || holder === identity) return { type: 'take' };
  const until = observation.at + (lease.spec?.leaseDurationSeconds ?? 15) * 1000;
  return now >= until ? { type: 'take' } : { type: 'wait', holder, until };
}
