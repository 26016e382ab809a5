// SPDX-License-Identifier: Apache-2.0
import {
  enqueueFrom,
  exponentialPerKey,
  type Informer,
  type Runnable,
  WorkQueue,
} from '@operator-parts/controller-runtime';
import { type KubeObject, keyOf } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';
import { waitForCache } from './wait-for-cache.ts';

export interface ControlLoopOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  /** Reconciles one object, by its key. If it throws, it is retried with growing delays. */
  readonly sync: (key: string, signal: AbortSignal) => Promise<void>;
  /** Keys to reconcile that no object has: networks that exist without being declared. @default none */
  readonly strays?: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many objects are reconciled concurrently; never the same one twice at once. */
  readonly workers: number;
  /** How often each object is reconciled again, changed or not, in milliseconds. */
  readonly resyncPeriod: number;
}

/** The maximum delay between two attempts of the same key, in milliseconds. */
const longestDelay = 30_000;

/**
 * The control loop of the textbooks:
 *
 * informer -> event handlers -> work queue -> workers -> sync
 *
 * `buildController` creates the same, and more, in one call; deployment-networks.ts uses it. Here every part is
 * visible.
 */
export function createControlLoop<T extends KubeObject>(options: ControlLoopOptions<T>): Runnable {
  const { informer, sync, strays, clock, log, workers, resyncPeriod } = options;
  const { kind } = informer.resource;
  const queue = new WorkQueue<string>({ clock, name: kind, rateLimiter: exponentialPerKey(5, longestDelay) });

  log.info('Setting up event handlers');
  // The tutorials' update handler returns if the old and the new object have the same resourceVersion, which ignores
  // resyncs: their sync reads only the object. Ours compares it with the network service, which may change while the
  // object does not. The resync repairs that, so its events are handled.
  informer.addHandler(
    enqueueFrom(queue, (object) => [keyOf(object)]),
    { resyncPeriod },
  );

  async function work(signal: AbortSignal): Promise<void> {
    for (let key = await queue.get(signal); key !== undefined; key = await queue.get(signal)) {
      await processKey(key, signal);
      queue.done(key);
    }
  }

  async function processKey(key: string, signal: AbortSignal): Promise<void> {
    try {
      await sync(key, signal);
      queue.forget(key);
      log.info(`Successfully synced '${key}'`);
    } catch (error) {
      if (signal.aborted) return;
      const retryIn = queue.addRateLimited(key);
      log.warn(`Error syncing '${key}', it is tried again`, { retryIn, error });
    }
  }

  /** The informer resyncs existing objects; networks without an object are listed from the network service. */
  async function findStrays(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for (const key of (await strays?.(signal)) ?? []) queue.add(key);
      } catch (error) {
        if (!signal.aborted) log.warn('Error looking for strays, it is tried again', { retryIn: resyncPeriod, error });
      }
      await clock.sleep(resyncPeriod, signal).catch(() => undefined);
    }
  }

  return {
    name: `${kind} control loop`,
    // Without leader election the manager always leads; with it, one replica is active at a time.
    needsLeader: true,
    async run(signal) {
      log.info(`Starting ${kind} control loop`);
      log.info('Waiting for informer caches to sync');
      if (!(await waitForCache(informer, { clock, log }, signal))) return;
      log.info('Starting workers');
      const working = Array.from({ length: workers }, () => work(signal));
      log.info('Started workers');
      // Only when the cache is complete: until then, every network looks like a stray one.
      await Promise.all([...working, findStrays(signal)]);
      queue.stop();
      log.info('Shut down workers');
    },
  };
}
