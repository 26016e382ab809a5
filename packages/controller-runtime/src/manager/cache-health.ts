// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@etcd-operator/kube';
import type { Clock } from '@etcd-operator/ports';
import type { Informer } from '../informer/informer.ts';
import type { InformerPool } from '../informer/informer-pool.ts';
import type { InformerStatus } from '../informer/informer-status.ts';
import type { HealthCheck } from './health.ts';

/** A cache that has refused an API server for this long, in milliseconds, needs a new beginning. */
const refusalLimit = 600_000;
/** A cache that was cut off for this long, in milliseconds, is known to be of no use; shorter cuts are everyday. */
const staleLimit = 90_000;
/** How often caches are looked at while they start, in milliseconds. */
const settlePoll = 250;

/** What the caches contribute to the probes. */
export function cacheChecks(
  pool: InformerPool,
  clock: Clock,
): { readonly health: HealthCheck; readonly ready: HealthCheck } {
  let refusedSince: number | undefined;
  return {
    /** An older view is believed once it was confirmed; if it never is, servers that disagree answer in turn. */
    health: () => {
      const refused = pool.all().find((informer) => informer.status.problem?.kind === 'older');
      if (!refused) {
        refusedSince = undefined;
        return undefined;
      }
      refusedSince ??= clock.monotonic();
      if (clock.monotonic() - refusedSince < refusalLimit) return undefined;
      return `${refused.name}: the API server keeps sending data that is older than the data it sent before`;
    },
    ready: () => {
      if (pool.doubt !== undefined) return pool.doubt;
      const waiting = pool.all().filter((informer) => !informer.hasSynced);
      if (waiting.length > 0) return `not synced: ${waiting.map(({ name }) => name).join(', ')}`;
      const stale = pool.all().find(({ status }) => isStale(status));
      if (!stale) return undefined;
      const { lag, problem } = stale.status;
      const why = problem ? ` (${problem.error.message})` : '';
      return `the cache of ${stale.name} is ${Math.round(lag / 1000)} s old${why}`;
    },
  };
}

/** A kind that was uninstalled has nothing to be behind of. */
function isStale({ phase, lag, problem }: InformerStatus): boolean {
  return phase === 'stale' && lag > staleLimit && problem?.kind !== 'missing';
}

/**
 * Resolves when each of the caches has a complete view or is known to be of a kind that is not installed: such a kind must not
 * keep the others waiting. Resolves at once when `signal` is aborted.
 */
export async function cachesSettled(
  caches: ReadonlySet<Informer<KubeObject>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const settled = () =>
    [...caches].every((informer) => informer.hasSynced || informer.status.problem?.kind === 'missing');
  // A cache that syncs ends the wait by itself; the poll is for kinds that turn out to be missing.
  while (!signal.aborted && !settled()) {
    const round = new AbortController();
    const give = AbortSignal.any([signal, round.signal]);
    const poll = clock.sleep(settlePoll, give).catch(() => undefined);
    await Promise.race([poll, Promise.all([...caches].map((informer) => informer.whenSynced(give)))]);
    round.abort();
  }
}
