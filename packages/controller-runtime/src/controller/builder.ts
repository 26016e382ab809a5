// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyOf, type ObjectKey, type Resource } from '@operator-parts/kube';
import type { Informer, InformerSelection } from '../informer/informer.ts';
import type { Manager } from '../manager/manager.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { enqueueFrom, type MapFunction } from './enqueue.ts';
import { controllerOf, refersTo } from './owner-reference.ts';
import { allOf, type Predicate } from './predicate.ts';
import type { ReconcileFunction, Reconciler } from './reconciler.ts';

/** The options of a controller; everything else comes from the manager and the builder. */
export type BuildOptions = Pick<
  ControllerOptions,
  | 'name'
  | 'concurrency'
  | 'spareConcurrency'
  | 'tenantOf'
  | 'rateLimiter'
  | 'stuckAfter'
  | 'timeout'
  | 'ownWriteLimit'
  | 'gracePeriod'
  | 'needsLeader'
>;

/** How one kind is watched. */
export interface SourceOptions<T extends KubeObject> extends InformerSelection {
  /** Which events of the kind are handled. @default all */
  readonly predicate?: Predicate<T>;
  /** How often all objects are reconciled again, in milliseconds. @default never */
  readonly resyncPeriod?: number;
}

/** Collects what a controller watches. `complete` creates the controller and reports all mistakes together. */
export interface ControllerBuilder {
  /**
   * The reconciled kind: each event of an object enqueues that object. Same as `watches(resource, (object) =>
   * [keyOf(object)], options)`.
   */
  forKind<T extends KubeObject>(resource: Resource<T>, options?: SourceOptions<T>): ControllerBuilder;
  /**
   * A kind that this controller creates: each event enqueues the object that controls it. Same as `watches(resource,
   * (object) => the owner in its controller reference, if it has the kind of forKind)`.
   */
  owns<T extends KubeObject>(resource: Resource<T>, options?: SourceOptions<T>): ControllerBuilder;
  /**
   * Any other kind: each event enqueues the keys that `map` returns; for an update, of the object before and after.
   * Same as `manager.informer(resource, options).addHandler(...)` with a handler that adds the keys to the queue.
   */
  watches<T extends KubeObject>(
    resource: Resource<T>,
    map: MapFunction<T>,
    options?: SourceOptions<T>,
  ): ControllerBuilder;
  /** A predicate for the events of all kinds, in addition to their own predicates. */
  withPredicate(predicate: Predicate): ControllerBuilder;
  /** Creates the controller and adds it to the manager, which runs it. */
  complete(reconciler: Reconciler | ReconcileFunction): Controller;
}

type Connect = (controller: Controller, predicates: readonly Predicate[]) => void;

/** Begins a controller of `manager`. */
export function buildController(manager: Manager, options: BuildOptions): ControllerBuilder {
  let reconciled: Resource | undefined;
  const mistakes: string[] = [];
  const informers: Informer<KubeObject>[] = [];
  const connections: Connect[] = [];
  const predicates: Predicate[] = [];

  const builder: ControllerBuilder = {
    forKind(resource, source) {
      if (reconciled) mistakes.push('forKind was called twice');
      reconciled = resource;
      return builder.watches(resource, (object) => [keyOf(object)], source);
    },
    owns(resource, source) {
      return builder.watches(resource, (object) => ownerKey(object, reconciled), source);
    },
    watches<T extends KubeObject>(resource: Resource<T>, map: MapFunction<T>, source: SourceOptions<T> = {}) {
      const { predicate, resyncPeriod, ...selection } = source;
      const informer = manager.informer(resource, selection);
      informers.push(informer as unknown as Informer<KubeObject>);
      connections.push((controller, common) => {
        const wanted = allOf<T>(...(common as readonly Predicate<T>[]), ...(predicate ? [predicate] : []));
        informer.addHandler(enqueueFrom(controller.queue, map, wanted), resyncPeriod ? { resyncPeriod } : {});
      });
      return builder;
    },
    withPredicate(predicate) {
      predicates.push(predicate);
      return builder;
    },
    complete(reconciler) {
      if (!reconciled) mistakes.push('forKind was not called: it sets the kind to reconcile');
      if (!reconciled || mistakes.length > 0) {
        throw new Error(`controller ${options.name} cannot be built: ${mistakes.join('; ')}`);
      }
      const controller = new Controller({
        ...options,
        kind: reconciled.kind,
        reconciler,
        client: manager.unfencedClient,
        clock: manager.clock,
        log: manager.log,
        metrics: manager.metrics,
        informers,
        informersOf: (resource) => manager.informersOf(resource),
        serverData: manager.serverData,
        ...(options.needsLeader === false ? {} : { fence: () => manager.assertLeading() }),
      });
      for (const connect of connections) connect(controller, predicates);
      manager.add(controller);
      return controller;
    },
  };
  return builder;
}

/** The key of the object that controls `object`, if it is of kind `owner`. */
function ownerKey(object: KubeObject, owner: Resource | undefined): readonly ObjectKey[] {
  const reference = controllerOf(object);
  if (!owner || !reference || !refersTo(reference, owner)) return [];
  const namespace = owner.namespaced ? object.metadata?.namespace : undefined;
  return [namespace ? { namespace, name: reference.name } : { name: reference.name }];
}
