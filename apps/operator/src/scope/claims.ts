// SPDX-License-Identifier: Apache-2.0
import type { DeepReadonly, Informer } from '@operator-parts/controller-runtime';
import { type Endpoints, keyString, type Lease } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { lockRecord, recordHolder } from '../coreos-operator.ts';
import type { Claim } from './judge.ts';

/** Used for a Lease without a duration, in seconds. It is the default of Kubernetes. */
const usualDuration = 15;
/**
 * A cache that was not confirmed for this long, in milliseconds, is not trusted. Shorter interruptions are common; a watch without events
 * is closed after 90 s.
 */
const staleAfter = 100_000;
/**
 * How long a namespace stays reserved for an operator that stopped, in milliseconds. An update of that operator, or its move to another
 * node, takes less time.
 */
const grace = 60_000;

export interface ClaimsOptions {
  readonly clock: Clock;
  /** The Leases of operators that manage a single namespace, in all namespaces. */
  readonly leases: Pick<Informer<Lease>, 'lister' | 'status'>;
  /** The locks of CoreOS operators, in all namespaces. */
  readonly locks: Pick<Informer<Endpoints>, 'lister' | 'status'>;
  /** The name of both the Lease and the lock. */
  readonly name: string;
}

/** The namespaces that have their own operator, as a cluster-wide operator sees them. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #records = new Map<string, { readonly text: string; readonly since: number }>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** The operator that claims the objects of a namespace. */
  of(namespace: string): Claim {
    const { leases, locks, name } = this.#options;
    if (leases.status.lag > staleAfter || locks.status.lag > staleAfter) return { kind: 'unknown' };
    const key = { namespace, name };
    const lock = lockRecord(locks.lister.get(key));
    const holder = recordHolder(lock);
    const held = this.#age(`lock ${namespace}`, { text: lock, holder, duration: usualDuration });
    const byCoreOs = claimOf(`the CoreOS operator ${holder} in namespace ${namespace}`, held);
    return byCoreOs.kind === 'none' ? this.ofLease(key, leases.lister.get(key)) : byCoreOs;
  }

  /**
   * The claim of the holder of this Lease. The time since the Lease last changed is measured with the local clock, because clocks may
   * differ.
   */
  ofLease(key: { readonly namespace: string; readonly name: string }, lease: DeepReadonly<Lease> | undefined): Claim {
    const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds: duration } = lease?.spec ?? {};
    const text = lease ? `${holder} ${renewTime}` : '';
    const held = this.#age(keyString(key), { text, holder, duration: duration ?? usualDuration });
    return claimOf(`the operator ${holder} in namespace ${key.namespace}`, held);
  }

  #age(
    key: string,
    { text, holder, duration }: { readonly text: string; readonly holder: string; readonly duration: number },
  ): 'none' | 'held' | 'lapsed' {
    const now = this.#options.clock.monotonic();
    const known = this.#records.get(key);
    // The holder of a deleted Lease may recreate it, so a known Lease still counts for a while.
    if (text === '' && !known) return 'none';
    const since = known?.text === text ? known.since : now;
    if (known?.text !== text) this.#records.set(key, { text, since });
    const lapsedFor = now - since - (holder === '' ? 0 : duration * 1000);
    if (holder !== '' && lapsedFor < 0) return 'held';
    return lapsedFor < grace ? 'lapsed' : 'none';
  }
}

function claimOf(by: string, held: 'none' | 'held' | 'lapsed'): Claim {
  return held === 'none' ? { kind: held } : { kind: held, by };
}
