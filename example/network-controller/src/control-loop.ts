// SPDX-License-Identifier: Apache-2.0
import {
  enqueueFrom,
  exponentialPerKey,
  type Informer,
  type Runnable,
  WorkQueue,
} from '@etcd-operator/controller-runtime';
import { type KubeObject, keyOf } from '@etcd-operator/kube';
import type { Clock, Logger } from '@etcd-operator/ports';
import { waitForCache } from './wait-for-cache.ts';

export interface ControlLoopOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  /** Looks at one object, by its key. What it throws is retried, later and later. */
  readonly sync: (key: string, signal: AbortSignal) => Promise<void>;
  /** Keys that may need a look though no object has them: what is there in the world, declared or not. @default none */
  readonly strays?: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many objects are looked at side by side; never one twice at a time. */
  readonly workers: number;
  /** Every so often each object is looked at again, changed or not, in milliseconds. */
  readonly resyncPeriod: number;
}

/** Between two tries of the same key lies at most this long, in milliseconds. */
const longestDelay = 30_000;

/**
 * The control loop as the textbooks draw it:
 *
 *   informer -> event handlers -> work queue -> workers -> sync
 *
 * `buildController` makes the same, and more, in one call; deployment-networks.ts uses it. Here every part can be seen.
 */
export function createControlLoop<T extends KubeObject>(options: ControlLoopOptions<T>): Runnable {
  const { informer, sync, strays, clock, log, workers, resyncPeriod } = options;
  const { kind } = informer.resource;
  const queue = new WorkQueue<string>({ clock, name: kind, rateLimiter: exponentialPerKey(5, longestDelay) });

  log.info('Setting up event handlers');
  // The tutorials' update handler returns if the old and the new object have the same resourceVersion, which drops what a resync
  // brings: their sync only looks at the object. Ours compares with the world, where something may have changed while the object
  // did not. The resync is what repairs that, so its events are let through.
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

  /** Objects that exist come again by the informer; for what has lost its object, the world itself must be asked. */
  async function lookForStrays(signal: AbortSignal): Promise<void> {
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
    // Without leader election the manager always leads; with it, one replica works at a time.
    needsLeader: true,
    async run(signal) {
      log.info(`Starting ${kind} control loop`);
      log.info('Waiting for informer caches to sync');
      if (!(await waitForCache(informer, { clock, log }, signal))) return;
      log.info('Starting workers');
      const working = Array.from({ length: workers }, () => work(signal));
      log.info('Started workers');
      // Not before the cache is complete: until then, everything looks like a stray.
      await Promise.all([...working, lookForStrays(signal)]);
      queue.stop();
      log.info('Shut down workers');
    },
  };
}
