// SPDX-License-Identifier: Apache-2.0
import type { DeepReadonly, Informer } from '@etcd-operator/controller-runtime';
import { type Endpoints, keyString, type Lease } from '@etcd-operator/kube';
import type { Clock } from '@etcd-operator/ports';
import { lockRecord, recordHolder } from '../old-operator.ts';
import type { Claim } from './judge.ts';

/** A Lease that names no duration is taken for one of this length, in seconds: Kubernetes' own default. */
const usualDuration = 15;
/**
 * A cache that has not been confirmed for this long, in milliseconds, does not tell. Shorter cuts are everyday; a silent watch is given up
 * after 90 s.
 */
const staleAfter = 100_000;
/** For how long a namespace is left to an operator that stopped, in milliseconds: an update or a move to another node takes less. */
const grace = 60_000;

export interface ClaimsOptions {
  readonly clock: Clock;
  /** The Leases of operators of one namespace, in all namespaces. */
  readonly leases: Pick<Informer<Lease>, 'lister' | 'status'>;
  /** The locks of CoreOS operators, in all namespaces. */
  readonly locks: Pick<Informer<Endpoints>, 'lister' | 'status'>;
  /** The name of both. */
  readonly name: string;
}

/** Which namespaces have an operator of their own, as a cluster-wide operator sees them. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #records = new Map<string, { readonly text: string; readonly since: number }>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Who claims the objects of a namespace. */
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

  /** Who claims anything by this Lease. Time is measured here, since it was last seen to change: clocks may differ. */
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
    // One that was deleted may be made again by who held it.
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
