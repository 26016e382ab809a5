// SPDX-License-Identifier: Apache-2.0
import {
  jsonEqual,
  keyOf,
  type OwnerReference,
  type Pod,
  pods,
  type ReplicaSet,
  replicaSets,
} from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchOwners } from '../kind-controller.ts';
import { hasLabels } from '../label-match.ts';
import { claimPods, controllerReference, deletePod, podFromTemplate } from './owned-pods.ts';
import { isPodActive, isPodAvailable, isPodReady, untilAvailable } from './pod-condition.ts';

/** At most this many pods are created or deleted in one reconciliation. */
const burst = 100;

/** Creates and deletes pods until each ReplicaSet has the number of pods that it asks for. */
export function startReplicaSetController(context: ControllerContext): RunningController {
  return startKindController(context, {
    name: 'replicaset',
    resource: replicaSets,
    whileDeleted: true,
    reconcile: (set) => reconcile(context, set),
    watch: (touch) => [touchOwners(context.caches.of(pods), 'ReplicaSet', touch)],
  });
}

async function reconcile(context: ControllerContext, set: ReplicaSet): Promise<number | undefined> {
  const reference = controllerReference(set, 'apps/v1', 'ReplicaSet');
  const all = await claimPods(context, set, reference);
  const active = all.filter(isPodActive);
  const surplus = active.length - (set.spec?.replicas ?? 1);
  if (!set.metadata?.deletionTimestamp) {
    if (surplus < 0) await createPods(context, set, reference, Math.min(-surplus, burst));
    else if (surplus > 0) await removePods(context, set, active, Math.min(surplus, burst));
  }
  const present = context.caches.of(replicaSets).get(set.metadata?.namespace, set.metadata?.name ?? '');
  return present && writeStatus(context, present, reference);
}

async function createPods(
  context: ControllerContext,
  set: ReplicaSet,
  reference: OwnerReference,
  count: number,
): Promise<void> {
  const { template } = set.spec ?? {};
  if (!template) return;
  const metadata = { namespace: set.metadata?.namespace ?? '', generateName: `${set.metadata?.name}-` };
  for (let made = 0; made < count; made++) {
    try {
      const pod = await context.client.resource(pods).create(podFromTemplate(template, reference, metadata));
      context.events.event(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      context.events.event(set, 'Warning', 'FailedCreate', `Error creating: ${words}`);
      throw error;
    }
  }
}

async function removePods(
  context: ControllerContext,
  set: ReplicaSet,
  active: readonly Pod[],
  count: number,
): Promise<void> {
  for (const pod of active.toSorted(leastUsefulFirst).slice(0, count)) {
    await deletePod(context, pod);
    context.events.event(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
  }
}

/**
 * The order in which surplus pods are deleted: unscheduled before scheduled, pending before running, not ready before
 * ready, then by deletion cost, then the newest first.
 */
function leastUsefulFirst(left: Pod, right: Pod): number {
  const phases = ['Pending', 'Unknown', 'Running'];
  const rank = (pod: Pod): readonly number[] => [
    pod.spec?.nodeName ? 1 : 0,
    phases.indexOf(pod.status?.phase ?? 'Pending'),
    isPodReady(pod) ? 1 : 0,
    Number(pod.metadata?.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    -Date.parse(pod.metadata?.creationTimestamp ?? ''),
  ];
  const [one, other] = [rank(left), rank(right)];
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

async function writeStatus(
  { caches, client, clock }: ControllerContext,
  set: ReplicaSet,
  reference: OwnerReference,
): Promise<number | undefined> {
  const own = caches
    .of(pods)
    .inNamespace(set.metadata?.namespace ?? '')
    .filter((pod) => pod.metadata?.ownerReferences?.some(({ uid, controller }) => controller && uid === reference.uid));
  const active = own.filter(isPodActive);
  const labels = set.spec?.template?.metadata?.labels ?? {};
  const minReady = set.spec?.minReadySeconds ?? 0;
  const now = clock.now();
  const status: NonNullable<ReplicaSet['status']> = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => hasLabels(labels, pod.metadata?.labels)).length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, minReady, now)).length,
    terminatingReplicas: own.filter((pod) => pod.metadata?.deletionTimestamp !== undefined).length,
    observedGeneration: set.metadata?.generation ?? 0,
  };
  if (!jsonEqual(status, set.status)) {
    await client.resource(replicaSets).status.replace(keyOf(set), { ...set, status });
  }
  const waits = active.flatMap((pod) => untilAvailable(pod, minReady, now) ?? []);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
