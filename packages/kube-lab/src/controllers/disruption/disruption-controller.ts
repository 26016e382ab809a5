// SPDX-License-Identifier: Apache-2.0
import {
  deployments,
  jsonEqual,
  keyOf,
  keyString,
  matchesLabelSelector,
  type OwnerReference,
  type Pod,
  type PodDisruptionBudget,
  parseKey,
  podDisruptionBudgets,
  pods,
  replicaSets,
  statefulSets,
} from '@etcd-operator/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { hasPodEnded } from '../workloads/pod-condition.ts';
import { budgetStatus } from './budget-status.ts';

/** Keeps the status of disruption budgets true, which evictions go by. */
export function startDisruptionController(context: ControllerContext): RunningController {
  const { caches, clock, log } = context;
  const budgets = caches.of(podDisruptionBudgets);
  const loop = new ReconcileLoop({
    name: 'disruption',
    clock,
    log,
    reconcile: async (key) => {
      const { namespace, name } = parseKey(key);
      const budget = budgets.get(namespace, name);
      return budget && reconcile(context, budget);
    },
  });
  const touch = (namespace: string | undefined) => {
    for (const budget of budgets.inNamespace(namespace ?? '')) loop.enqueue(keyString(keyOf(budget)));
  };
  const leave = [
    budgets.subscribe(({ type, object }) => {
      if (type !== 'DELETED') loop.enqueue(keyString(keyOf(object)));
    }),
    caches.of(pods).subscribe(({ object }) => touch(object.metadata?.namespace)),
    caches.of(replicaSets).subscribe(({ object }) => touch(object.metadata?.namespace)),
    caches.of(deployments).subscribe(({ object }) => touch(object.metadata?.namespace)),
    caches.of(statefulSets).subscribe(({ object }) => touch(object.metadata?.namespace)),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

async function reconcile(
  { caches, client, clock }: ControllerContext,
  budget: PodDisruptionBudget,
): Promise<number | undefined> {
  const own = caches
    .of(pods)
    .inNamespace(budget.metadata?.namespace ?? '')
    .filter((pod) => !hasPodEnded(pod) && matchesLabelSelector(budget.spec?.selector, pod.metadata?.labels));
  const status = budgetStatus(budget, own, expectedPods(caches, budget, own), clock.now());
  if (!jsonEqual(status, budget.status)) {
    await client.resource(podDisruptionBudgets).status.replace(keyOf(budget), { ...budget, status });
  }
  return status.disruptedPods ? 120_000 : undefined;
}

/**
 * With a number as `minAvailable` the pods that are there count; else what their controllers ask for. Pods without a controller
 * count as they are.
 */
function expectedPods(caches: SharedCaches, budget: PodDisruptionBudget, own: readonly Pod[]): number | undefined {
  if (typeof budget.spec?.minAvailable === 'number') return own.length;
  const replicas = new Map<string, number>();
  let single = 0;
  for (const pod of own) {
    const reference = controllerOf(pod);
    const found = reference && scaleOf(caches, pod.metadata?.namespace ?? '', reference);
    if (found) replicas.set(found.uid, found.replicas);
    else single += 1;
  }
  return [...replicas.values()].reduce((total, each) => total + each, single);
}

function scaleOf(
  caches: SharedCaches,
  namespace: string,
  reference: OwnerReference,
): { readonly uid: string; readonly replicas: number } | undefined {
  if (reference.kind === 'StatefulSet') {
    const set = caches.of(statefulSets).get(namespace, reference.name);
    return set && { uid: reference.uid, replicas: set.spec?.replicas ?? 1 };
  }
  if (reference.kind !== 'ReplicaSet') return undefined;
  const set = caches.of(replicaSets).get(namespace, reference.name);
  const above = set && controllerOf(set);
  const deployment = above?.kind === 'Deployment' ? caches.of(deployments).get(namespace, above.name) : undefined;
  if (deployment && above) return { uid: above.uid, replicas: deployment.spec?.replicas ?? 1 };
  return set && { uid: reference.uid, replicas: set.spec?.replicas ?? 1 };
}
