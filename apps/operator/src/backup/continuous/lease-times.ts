// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';

/** How many leases are requested at the same time. */
const readers = 16;

/** The cache is cleared above this size. Leases are then requested and recorded again. */
const mostKnown = 100_000;

/** Reads the granted TTL of leases: a watch reports which lease a key is attached to, but nothing about the lease. */
export class LeaseTimes {
  readonly #leases: Pick<MemberClient['lease'], 'timeToLive'>;
  readonly #known = new Set<bigint>();

  constructor(leases: Pick<MemberClient['lease'], 'timeToLive'>) {
    this.#leases = leases;
  }

  /** The granted TTL in seconds of leases that were not requested before; 0 for a lease that no longer exists. */
  async ask(ids: ReadonlySet<bigint>, signal: AbortSignal): Promise<ReadonlyMap<bigint, number>> {
    if (this.#known.size > mostKnown) this.#known.clear();
    const unknown = [...ids].filter((id) => !this.#known.has(id));
    const found = new Map<bigint, number>();
    for (let from = 0; from < unknown.length; from += readers) {
      const some = unknown.slice(from, from + readers);
      const answers = await Promise.all(some.map((id) => this.#leases.timeToLive(id, { signal })));
      for (const [index, id] of some.entries()) found.set(id, Number(answers[index]?.grantedTtl ?? 0n));
    }
    for (const id of unknown) this.#known.add(id);
    return found;
  }
}
