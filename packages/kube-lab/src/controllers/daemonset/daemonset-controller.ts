// SPDX-License-Identifier: Apache-2.0
import { type DaemonSet, daemonSets, jsonEqual, keyOf, nodes, pods } from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchOwners } from '../kind-controller.ts';
import { claimPods, controllerOf, controllerReference, deletePod } from '../workloads/owned-pods.ts';
import { untilAvailable } from '../workloads/pod-condition.ts';
import { keepRevision } from '../workloads/revisions.ts';
import { daemonStatus, planDaemonSet } from './daemon-plan.ts';
import { daemonPod } from './daemon-pod.ts';

/** Runs DaemonSets: a pod on each node that the set selects and whose taints it tolerates. */
export function startDaemonSetController(context: ControllerContext): RunningController {
  const { caches } = context;
  return startKindController(context, {
    name: 'daemonset',
    resource: daemonSets,
    reconcile: (set) => reconcile(context, set),
    watch: (touch) => [
      touchOwners(caches.of(pods), 'DaemonSet', touch),
      caches.of(nodes).subscribe(() => {
        for (const set of touch.cache.list()) touch.one(set);
      }),
    ],
  });
}

async function reconcile(context: ControllerContext, set: DaemonSet): Promise<number | undefined> {
  const { caches, client, clock, events } = context;
  await keepRevision(context, set, 'DaemonSet');
  const own = await claimPods(context, set, controllerReference(set, 'apps/v1', 'DaemonSet'));
  const plan = planDaemonSet(set, caches.of(nodes).list(), own, clock.now());
  for (const node of plan.create) {
    try {
      const pod = await client.resource(pods).create(daemonPod(set, node));
      events.event(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      events.event(set, 'Warning', 'FailedCreate', `Error creating: ${words}`);
      throw error;
    }
  }
  for (const pod of plan.remove) {
    await deletePod(context, pod);
    events.event(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
  }
  return writeStatus(context, set);
}

async function writeStatus(
  { caches, client, clock }: ControllerContext,
  { metadata }: DaemonSet,
): Promise<number | undefined> {
  const set = caches.of(daemonSets).get(metadata?.namespace, metadata?.name ?? '');
  if (!set) return undefined;
  const now = clock.now();
  const own = caches
    .of(pods)
    .inNamespace(set.metadata?.namespace ?? '')
    .filter((pod) => controllerOf(pod)?.uid === set.metadata?.uid);
  const status = daemonStatus(set, caches.of(nodes).list(), own, now);
  if (!jsonEqual(status, set.status)) {
    await client.resource(daemonSets).status.replace(keyOf(set), { ...set, status });
  }
  const waits = own.flatMap((pod) => untilAvailable(pod, set.spec?.minReadySeconds ?? 0, now) ?? []);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
