// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { Informer } from '../informer/informer.ts';
import type { InformerPool } from '../informer/informer-pool.ts';
import type { InformerStatus } from '../informer/informer-status.ts';
import type { HealthCheck } from './health.ts';

/** A cache that has refused the older data of an API server for this long is not live, in milliseconds. */
const refusalLimit = 600_000;
/** A cache that was disconnected for this long is not ready, in milliseconds; shorter interruptions are normal. */
const staleLimit = 90_000;
/** How often caches are checked while they start, in milliseconds. */
const settlePoll = 250;

/** The health checks of the caches. */
export function cacheChecks(
  pool: InformerPool,
  clock: Clock,
): { readonly health: HealthCheck; readonly ready: HealthCheck } {
  let refusedSince: number | undefined;
  return {
    /**
     * An older view is accepted once it is confirmed. If it is never confirmed, several servers with different data
     * answer in turn.
     */
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

/** True if a cache may miss changes. A kind that is not installed has no changes. */
function isStale({ phase, lag, problem }: InformerStatus): boolean {
  return phase === 'stale' && lag > staleLimit && problem?.kind !== 'missing';
}

/**
 * Resolves when each of the caches has a complete view, or its kind is known not to be installed: such a kind must not
 * delay the others. Resolves at once when `signal` is aborted.
 */
export async function cachesSettled(
  caches: ReadonlySet<Informer<KubeObject>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const settled = () =>
    [...caches].every((informer) => informer.hasSynced || informer.status.problem?.kind === 'missing');
  // A cache that syncs ends the wait; the poll finds kinds that are not installed.
  while (!signal.aborted && !settled()) {
    const round = new AbortController();
    const give = AbortSignal.any([signal, round.signal]);
    const poll = clock.sleep(settlePoll, give).catch(() => undefined);
    await Promise.race([poll, Promise.all([...caches].map((informer) => informer.whenSynced(give)))]);
    round.abort();
  }
}
