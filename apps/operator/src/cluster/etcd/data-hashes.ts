// SPDX-License-Identifier: Apache-2.0
import { formatId, isEtcdError, type MemberClient, type MemberStatus } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import type { DataHash, EtcdView } from '../observation.ts';

/**
 * How long a hash is used again, in milliseconds. To compute a hash, a member reads its whole database. While CORRUPT is raised, etcd
 * accepts no writes, so the hash does not change soon.
 */
const goodFor = 30_000;
const timeoutMs = 20_000;

/**
 * While a voter reports CORRUPT, asks all voters for the hash of their data at the same revision: the lowest of their current revisions,
 * which all voters have reached. Learners do not answer HashKV (etcd fact 9).
 */
export class DataHashes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By member ID. */
  readonly #known = new Map<string, { readonly found: DataHash; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  async compare(
    clients: ReadonlyMap<string, MemberClient>,
    statuses: ReadonlyMap<string, MemberStatus>,
    signal: AbortSignal,
  ): Promise<EtcdView['hashes']> {
    const hashes = new Map<string, DataHash>();
    if (![...statuses.values()].some(({ errors }) => errors.some((word) => word.includes('CORRUPT')))) {
      this.#known.clear();
      return hashes;
    }
    const voters = [...statuses].filter(([, { isLearner }]) => !isLearner);
    const revision = Math.min(...voters.map(([, status]) => Number(status.revision)));
    await Promise.all(
      voters.map(async ([name, status]) => {
        const found = await this.#hashOf(clients.get(name), status, revision, signal);
        if (found) hashes.set(name, found);
      }),
    );
    return hashes;
  }

  async #hashOf(
    client: MemberClient | undefined,
    status: MemberStatus,
    revision: number,
    signal: AbortSignal,
  ): Promise<DataHash | undefined> {
    const id = formatId(status.memberId);
    const reached = Number(status.revision);
    const known = this.#known.get(id);
    const isGood = known && this.#clock.monotonic() - known.at < goodFor;
    if (isGood && known.found.revision === revision && known.found.reached === reached) return known.found;
    try {
      const answer = await client?.maintenance.hashKv(BigInt(revision), { signal, timeoutMs });
      // Since this member answered the status request, another process may have got its address.
      if (!answer || formatId(answer.header.memberId) !== id) return undefined;
      const found = { hash: answer.hash, revision, compactRevision: Number(answer.compactRevision), reached };
      this.#known.set(id, { found, at: this.#clock.monotonic() });
      return found;
    } catch (error) {
      signal.throwIfAborted();
      if (!isEtcdError(error)) throw error;
      return undefined;
    }
  }
}
