// SPDX-License-Identifier: Apache-2.0
import {
  type Deployment,
  deployments,
  isKubeError,
  jsonEqual,
  keyOf,
  type PodTemplateSpec,
  type ReplicaSet,
  replicaSets,
} from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchOwners } from '../kind-controller.ts';
import { claim, controllerReference } from '../workloads/owned-pods.ts';
import { canonical, shortHash } from '../workloads/template-hash.ts';
import { deploymentStatus } from './deployment-status.ts';
import { nextScales, wanted } from './rollout.ts';

const hashLabel = 'pod-template-hash';
const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** Runs rolling updates of Deployments: one ReplicaSet per template, scaled against each other. */
export function startDeploymentController(context: ControllerContext): RunningController {
  return startKindController(context, {
    name: 'deployment',
    resource: deployments,
    reconcile: (deployment) => reconcile(context, deployment),
    watch: (touch) => [touchOwners(context.caches.of(replicaSets), 'Deployment', touch)],
  });
}

async function reconcile(context: ControllerContext, deployment: Deployment): Promise<number | undefined> {
  const all = await claim(context, replicaSets, deployment, controllerReference(deployment, 'apps/v1', 'Deployment'));
  const { template, paused } = deployment.spec ?? {};
  if (!template) return;
  const found = all.find((set) => sameTemplate(set.spec?.template, template));
  const newest = found ?? (paused ? undefined : await createSet(context, deployment, template, all));
  if (newest && !paused) {
    await raiseRevision(context, deployment, newest, all);
    const old = all.filter((set) => set !== newest);
    for (const [set, replicas] of nextScales(deployment, newest, old)) await scale(context, deployment, set, replicas);
    await removeHistory(context, deployment, old);
  } else if (paused && all.length === 1 && all[0]) {
    await scale(context, deployment, all[0], deployment.spec?.replicas ?? 1);
  }
  return writeStatus(context, deployment, template);
}

function setsOf({ caches }: ControllerContext, deployment: Deployment): readonly ReplicaSet[] {
  return caches
    .of(replicaSets)
    .inNamespace(deployment.metadata?.namespace ?? '')
    .filter((set) =>
      set.metadata?.ownerReferences?.some(({ uid, controller }) => controller && uid === deployment.metadata?.uid),
    );
}

function sameTemplate(one: PodTemplateSpec | undefined, other: PodTemplateSpec): boolean {
  const bare = (template: PodTemplateSpec | undefined) => {
    const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
    return canonical({ ...template, metadata: { ...template?.metadata, labels } });
  };
  return bare(one) === bare(other);
}

async function createSet(
  { client, events }: ControllerContext,
  deployment: Deployment,
  template: PodTemplateSpec,
  all: readonly ReplicaSet[],
): Promise<ReplicaSet | undefined> {
  const hash = shortHash(template, String(deployment.status?.collisionCount ?? 0));
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { namespace = '', name = '' } = deployment.metadata ?? {};
  const selector = deployment.spec?.selector ?? {};
  const set: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { [revisionAnnotation]: String(lastRevision(all) + 1) },
      ownerReferences: [controllerReference(deployment, 'apps/v1', 'Deployment')],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
      ...(deployment.spec?.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
    },
  };
  const made = await client
    .resource(replicaSets)
    .create(set)
    .catch((error: unknown) => {
      if (isKubeError(error, 'AlreadyExists')) return undefined;
      throw error;
    });
  if (!made) {
    // Another object has this name: the next reconciliation uses another name.
    const status = { ...deployment.status, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
    await client.resource(deployments).status.replace(keyOf(deployment), { ...deployment, status });
    return undefined;
  }
  events.event(deployment, 'Normal', 'ScalingReplicaSet', `Created replica set "${made.metadata?.name}"`);
  return made;
}

function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata?.annotations?.[revisionAnnotation] ?? 0);
}

function lastRevision(all: readonly ReplicaSet[]): number {
  return Math.max(0, ...all.map(revisionOf));
}

/** The newest ReplicaSet has the highest revision, also after a rollback to an older template. */
async function raiseRevision(
  { client }: ControllerContext,
  deployment: Deployment,
  newest: ReplicaSet,
  all: readonly ReplicaSet[],
): Promise<void> {
  const others = lastRevision(all.filter((set) => set !== newest));
  const revision = String(Math.max(revisionOf(newest), others + 1));
  const patch = { metadata: { annotations: { [revisionAnnotation]: revision } } };
  if (newest.metadata?.annotations?.[revisionAnnotation] !== revision) {
    await client.resource(replicaSets).patch(keyOf(newest), { type: 'merge', patch });
  }
  if (deployment.metadata?.annotations?.[revisionAnnotation] !== revision) {
    await client.resource(deployments).patch(keyOf(deployment), { type: 'merge', patch });
  }
}

async function scale(
  { client, events }: ControllerContext,
  deployment: Deployment,
  set: ReplicaSet,
  replicas: number,
): Promise<void> {
  const before = wanted(set);
  if (before === replicas) return;
  await client.resource(replicaSets).patch(keyOf(set), { type: 'merge', patch: { spec: { replicas } } });
  const direction = replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata?.name} from ${before} to ${replicas}`;
  events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
}

async function removeHistory(
  { client }: ControllerContext,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): Promise<void> {
  const idle = old
    .filter((set) => wanted(set) === 0 && !set.status?.replicas && !set.metadata?.deletionTimestamp)
    .toSorted((left, right) => revisionOf(left) - revisionOf(right));
  const surplus = idle.length - (deployment.spec?.revisionHistoryLimit ?? 10);
  for (const set of idle.slice(0, Math.max(0, surplus))) {
    await client
      .resource(replicaSets)
      .delete(keyOf(set), { propagationPolicy: 'Background' })
      .catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
  }
}

async function writeStatus(
  context: ControllerContext,
  { metadata }: Deployment,
  template: PodTemplateSpec,
): Promise<number | undefined> {
  const { caches, client, clock } = context;
  const deployment = caches.of(deployments).get(metadata?.namespace, metadata?.name ?? '');
  if (!deployment) return undefined;
  const all = setsOf(context, deployment);
  const newest = all.find((set) => sameTemplate(set.spec?.template, template));
  const status = deploymentStatus(deployment, newest, all, clock.now());
  if (!jsonEqual(status, deployment.status)) {
    await client.resource(deployments).status.replace(keyOf(deployment), { ...deployment, status });
  }
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  const isUnderWay = progressing?.status === 'True' && progressing.reason !== 'NewReplicaSetAvailable';
  return isUnderWay ? (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000 + 1000 : undefined;
}
