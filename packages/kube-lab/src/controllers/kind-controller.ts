// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyOf, keyString, matchesLabelSelector, parseKey, type Resource } from '@operator-parts/kube';
import type { ControllerContext, RunningController } from './controller.ts';
import type { ObjectCache } from './object-cache.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import { controllerKey, controllerOf, type Owner } from './workloads/owned-pods.ts';

/** What a controller of one kind does, and which changes trigger it. */
export interface KindControllerOptions<T extends KubeObject> {
  readonly name: string;
  readonly resource: Resource<T>;
  /** Returns the milliseconds until the next reconciliation, if nothing changes before. */
  readonly reconcile: (object: T) => Promise<number | undefined>;
  /** Whether `reconcile` is also called for objects that are being deleted. @default false */
  readonly whileDeleted?: boolean;
  /** Called with the key of an object that no longer exists. May be left out. */
  readonly gone?: (namespace: string, name: string) => Promise<number | undefined>;
  /** Called for each changed object of other kinds; enqueues the affected objects. */
  readonly watch?: (touch: Touch<T>) => readonly (() => void)[];
}

/** The functions that enqueue objects. */
export interface Touch<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly one: (object: T) => void;
  readonly key: (key: string) => void;
}

/** Starts a controller that reconciles an object of its kind when the object or its dependents change. */
export function startKindController<T extends KubeObject>(
  { caches, clock, log }: ControllerContext,
  { name, resource, reconcile, whileDeleted = false, gone, watch }: KindControllerOptions<T>,
): RunningController {
  const cache = caches.of(resource);
  const loop = new ReconcileLoop({
    name,
    clock,
    log,
    reconcile: async (key) => {
      const { namespace, name: objectName } = parseKey(key);
      const object = cache.get(namespace, objectName);
      if (!object) return gone?.(namespace ?? '', objectName);
      return whileDeleted || !object.metadata?.deletionTimestamp ? reconcile(object) : undefined;
    },
  });
  const one = (object: T) => loop.enqueue(keyString(keyOf(object)));
  const leave = [
    cache.subscribe(({ type, object }) => {
      if (type !== 'DELETED' || gone) one(object);
    }),
    ...(watch?.({ cache, one, key: (key) => loop.enqueue(key) }) ?? []),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

/** Enqueues the controller of a changed object. */
export function touchController<T extends KubeObject>(
  owned: ObjectCache<T>,
  kind: string,
  touch: { readonly key: (key: string) => void },
): () => void {
  return owned.subscribe(({ object }) => {
    const key = controllerKey(object, kind);
    if (key) touch.key(key);
  });
}

/**
 * Like `touchController`. For an object without a controller, it enqueues every owner whose selector matches the
 * object, because that owner may adopt it.
 */
export function touchOwners<O extends Owner, T extends KubeObject>(
  owned: ObjectCache<T>,
  kind: string,
  { cache, one, key: touchKey }: Touch<O>,
): () => void {
  return owned.subscribe(({ object }) => {
    const key = controllerKey(object, kind);
    if (key) return touchKey(key);
    if (controllerOf(object)) return;
    for (const owner of cache.inNamespace(object.metadata?.namespace ?? ''))
      if (matchesLabelSelector(owner.spec?.selector, object.metadata?.labels)) one(owner);
  });
}
