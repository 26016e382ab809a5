// SPDX-License-Identifier: Apache-2.0
import {
  deployments,
  jsonEqual,
  type KubeObject,
  keyOf,
  matchesLabelSelector,
  type OwnerReference,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  pods,
  replicaSets,
  statefulSets,
} from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController } from '../kind-controller.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { hasPodEnded } from '../workloads/pod-condition.ts';
import { budgetStatus } from './budget-status.ts';

/** Keeps the status of PodDisruptionBudgets up to date, which evictions check. */
export function startDisruptionController(context: ControllerContext): RunningController {
  const { caches } = context;
  return startKindController(context, {
    name: 'disruption',
    resource: podDisruptionBudgets,
    whileDeleted: true,
    reconcile: (budget) => reconcile(context, budget),
    watch: ({ cache, one }) => {
      const touch = ({ object }: { readonly object: KubeObject }) => {
        for (const budget of cache.inNamespace(object.metadata?.namespace ?? '')) one(budget);
      };
      return [
        caches.of(pods).subscribe(touch),
        caches.of(replicaSets).subscribe(touch),
        caches.of(deployments).subscribe(touch),
        caches.of(statefulSets).subscribe(touch),
      ];
    },
  });
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
 * The number of pods that the budget expects. If `minAvailable` is a number, it is the number of existing pods.
 * Otherwise it is the sum of the replicas of their controllers; a pod without a known controller counts as one.
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
