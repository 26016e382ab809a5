// SPDX-License-Identifier: Apache-2.0
import {
  controllerRevisions,
  isKubeError,
  jsonEqual,
  keyOf,
  type Pod,
  type PodTemplateSpec,
  persistentVolumeClaims,
  pods,
  type StatefulSet,
  statefulSets,
} from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchController } from '../kind-controller.ts';
import { claimPods, controllerOf, controllerReference, deletePod } from '../workloads/owned-pods.ts';
import { untilAvailable } from '../workloads/pod-condition.ts';
import { keepRevision, revisionName } from '../workloads/revisions.ts';
import { statefulClaims, statefulPod, statefulStatus } from './stateful-objects.ts';
import { ordinalOf, planStatefulSet, type StatefulAction } from './stateful-plan.ts';

/** Runs StatefulSets: pods with stable names, an order and their own PVCs. */
export function startStatefulSetController(context: ControllerContext): RunningController {
  return startKindController(context, {
    name: 'statefulset',
    resource: statefulSets,
    reconcile: (set) => reconcile(context, set),
    watch: (touch) => [touchController(context.caches.of(pods), 'StatefulSet', touch)],
  });
}

async function reconcile(context: ControllerContext, set: StatefulSet): Promise<number | undefined> {
  const { clock } = context;
  const claimed = await claimPods(context, set, controllerReference(set, 'apps/v1', 'StatefulSet'));
  const own = claimed.filter((pod) => ordinalOf(set, pod) >= 0);
  const update = revisionName(set);
  await keepRevision(context, set, 'StatefulSet');
  const revisions = { current: set.status?.currentRevision || update, update };
  for (const action of planStatefulSet(set, own, revisions, clock.now())) await carryOut(context, set, action);
  await writeStatus(context, set, revisions);
  const waits = own.flatMap((pod) => untilAvailable(pod, set.spec?.minReadySeconds ?? 0, clock.now()) ?? []);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

async function carryOut(context: ControllerContext, set: StatefulSet, action: StatefulAction): Promise<void> {
  const { client, events } = context;
  if (action.type === 'delete') {
    await deletePod(context, action.pod);
    const { name } = action.pod.metadata ?? {};
    const message = `delete Pod ${name} in StatefulSet ${set.metadata?.name} successful`;
    events.event(set, 'Normal', 'SuccessfulDelete', message);
    await removeClaims(context, set, action.pod);
    return;
  }
  for (const claim of statefulClaims(set, action.ordinal)) {
    await tolerateExisting(client.resource(persistentVolumeClaims).create(claim));
  }
  const pod = statefulPod(set, templateOf(context, set, action.revision), action.ordinal, action.revision);
  await tolerateExisting(client.resource(pods).create(pod));
  const message = `create Pod ${pod.metadata?.name} in StatefulSet ${set.metadata?.name} successful`;
  events.event(set, 'Normal', 'SuccessfulCreate', message);
}

/** The template of a revision; the present template if that revision no longer exists. */
function templateOf({ caches }: ControllerContext, set: StatefulSet, revision: string): PodTemplateSpec {
  const kept = caches.of(controllerRevisions).get(set.metadata?.namespace, revision)?.data as
    | { readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } } }
    | undefined;
  const { $patch: _patch, ...template } = kept?.spec?.template ?? { ...set.spec?.template };
  return template;
}

/** `whenScaled: Delete`: PVCs are deleted with surplus pods. */
async function removeClaims({ client }: ControllerContext, set: StatefulSet, pod: Pod): Promise<void> {
  const ordinal = ordinalOf(set, pod);
  const start = set.spec?.ordinals?.start ?? 0;
  const isWanted = ordinal >= start && ordinal < start + (set.spec?.replicas ?? 1);
  if (isWanted || set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return;
  for (const claim of statefulClaims(set, ordinal)) {
    await client
      .resource(persistentVolumeClaims)
      .delete(keyOf(claim))
      .catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
  }
}

async function writeStatus(
  { caches, client, clock }: ControllerContext,
  { metadata }: StatefulSet,
  revisions: { readonly current: string; readonly update: string },
): Promise<void> {
  const set = caches.of(statefulSets).get(metadata?.namespace, metadata?.name ?? '');
  if (!set) return;
  const own = caches
    .of(pods)
    .inNamespace(set.metadata?.namespace ?? '')
    .filter((pod) => controllerOf(pod)?.uid === set.metadata?.uid);
  const status = statefulStatus(set, own, revisions, clock.now());
  if (jsonEqual(status, set.status)) return;
  await client.resource(statefulSets).status.replace(keyOf(set), { ...set, status });
}

async function tolerateExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
