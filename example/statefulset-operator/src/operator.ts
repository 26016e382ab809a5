// SPDX-License-Identifier: Apache-2.0
import {
  buildController,
  createManager,
  done,
  isBeingDeleted,
  type NewCondition,
  setCondition,
} from '@operator-parts/controller-runtime';
import { crdOf } from '@operator-parts/crd';
import {
  type Client,
  customResourceDefinitions,
  jsonEqual,
  type StatefulSet,
  services,
  statefulSets,
} from '@operator-parts/kube';
import { type Clock, type Logger, systemClock } from '@operator-parts/ports';
import { primaryOf, servicesOf, statefulSetOf } from './objects.ts';
import { type Store, stores } from './store.ts';

export interface OperatorOptions {
  readonly client: Client;
  readonly log: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** Server-side apply with force: the fields that we set belong to us. */
const ours = { fieldManager: 'statefulset-operator', force: true } as const;

/** Installs its CRD, then reconciles every KeyValueStore until `signal` is aborted. */
export async function runOperator({ client, log, clock = systemClock }: OperatorOptions, signal: AbortSignal) {
  await client.resource(customResourceDefinitions).apply(crdOf(stores), { ...ours, signal });
  const manager = createManager({ client, log, clock });
  const cachedStores = manager.informer(stores.resource);
  const cachedSets = manager.informer(statefulSets);
  buildController(manager, { name: 'key-value-stores', concurrency: 2 })
    .forKind(stores.resource)
    // A change of an owned object reconciles its store: it is repaired, or reported in the status.
    .owns(statefulSets)
    .owns(services)
    .complete(async (request, context) => {
      const store = cachedStores.lister.get(request);
      if (!store || isBeingDeleted(store)) return done();
      for (const service of servicesOf(store)) await context.client.resource(services).apply(service, ours);
      await context.client.resource(statefulSets).apply(statefulSetOf(store), ours);
      const status = statusOf(store, cachedSets.lister.get(request), clock.now());
      if (!jsonEqual(status, store.status)) {
        const patch = { status };
        await context.client.resource(stores.resource).status.patch(request, { type: 'merge', patch });
        log.info(
          `KeyValueStore ${request.namespace}/${request.name}: ${status.readyReplicas} of ${store.spec.replicas} ready`,
        );
      }
      return done();
    });
  await manager.run(signal);
}

/** The conditions, from the status of the StatefulSet. */
export function statusOf(store: Store, set: StatefulSet | undefined, now: number): NonNullable<Store['status']> {
  const { readyReplicas = 0, replicas = 0, updatedReplicas = 0, observedGeneration = 0 } = set?.status ?? {};
  const { generation = 0 } = store.metadata ?? {};
  const wanted = store.spec.replicas ?? 1;
  const isSeen =
    set !== undefined && observedGeneration >= (set.metadata?.generation ?? 0) && set.spec?.replicas === wanted;
  const isReady = isSeen && [readyReplicas, replicas, updatedReplicas].every((count) => count === wanted);
  const condition: NewCondition = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'UpToDate' : 'Waiting',
    message: isReady
      ? `All ${wanted} copies are up to date.`
      : `Waiting for copies: ${readyReplicas} of ${wanted} are up to date.`,
    observedGeneration: generation,
  };
  return {
    observedGeneration: generation,
    replicas,
    readyReplicas,
    primary: primaryOf(store),
    conditions: setCondition(store.status?.conditions, condition, now),
  };
}
