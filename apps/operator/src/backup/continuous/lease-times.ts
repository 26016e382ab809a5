// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@etcd-operator/etcd';

/** So many leases are asked for at once. */
const readers = 16;

/** More are not remembered; they are requested and recorded again. */
const mostKnown = 100_000;

/** Finds out for how long leases were granted: a watch says which lease a key hangs on, and nothing about the lease. */
export class LeaseTimes {
  readonly #leases: Pick<MemberClient['lease'], 'timeToLive'>;
  readonly #known = new Set<bigint>();

  constructor(leases: Pick<MemberClient['lease'], 'timeToLive'>) {
    this.#leases = leases;
  }

  /** Granted seconds of those that were not asked for before; 0 for one that is gone. */
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
