// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyString, type ObjectKey } from '@operator-parts/kube';
import type { EventHandler, Occasion } from '../informer/event-handler.ts';
import type { AddOptions, WorkQueue } from '../queue/work-queue.ts';
import type { DeepReadonly } from '../store/deep-readonly.ts';
import type { Predicate } from './predicate.ts';

/** Maps an object to requests. Synchronous and without side effects: it reads only the object and caches. */
export type MapFunction<T extends KubeObject> = (object: DeepReadonly<T>) => readonly ObjectKey[];

const fresh: AddOptions = { priority: 'normal' };
const background: AddOptions = { priority: 'low' };

/**
 * A handler that turns events into requests. Initial lists and resyncs get low priority, so that they never delay
 * changes.
 */
export function enqueueFrom<T extends KubeObject>(
  queue: Pick<WorkQueue<string>, 'add'>,
  map: MapFunction<T>,
  predicate: Predicate<T> = {},
): EventHandler<T> {
  const enqueue = (object: DeepReadonly<T>, options: AddOptions) => {
    for (const request of map(object)) queue.add(keyString(request), options);
  };
  return {
    added(object, occasion) {
      if (predicate.added?.(object) ?? true) enqueue(object, urgency(occasion));
    },
    updated(before, after, occasion) {
      // A resync enqueues every object, changed or not.
      if (!occasion.resync && !(predicate.updated?.(before, after) ?? true)) return;
      const requests = map(after);
      for (const request of requests) queue.add(keyString(request), urgency(occasion));
      if (before === after) return;
      for (const request of map(before)) {
        if (!requests.some((other) => sameKey(other, request))) queue.add(keyString(request), urgency(occasion));
      }
    },
    removed(object) {
      if (predicate.removed?.(object) ?? true) enqueue(object, fresh);
    },
  };
}

function sameKey(one: ObjectKey, other: ObjectKey): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

function urgency(occasion: Occasion): AddOptions {
  return occasion.initial || occasion.resync ? background : fresh;
}
