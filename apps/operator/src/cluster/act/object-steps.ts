// SPDX-License-Identifier: Apache-2.0
import { compareMinors, parseVersion } from '@operator-parts/etcd';
import {
  ignoreNotFound,
  isKubeError,
  type KubeError,
  type KubeObject,
  type ObjectKey,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
} from '@operator-parts/kube';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { annotations, clusterLabels, fieldManager, labels } from '../../api/names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { countsOtherwise, disruptionBudget } from '../objects/disruption-budget.ts';
import { isOwnedBy } from '../objects/owner.ts';
import { clientService, peerService } from '../objects/services.ts';
import type { Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

/** Applies one of the cluster's own Services. Fields that users added are left alone. */
export async function ensureService({ which }: Of<'ensureService'>, context: ActContext): Promise<StepOutcome> {
  const cluster = identityOf(context.cluster);
  const wanted = which === 'peer' ? peerService(cluster) : clientService(cluster, context.cluster.spec.service);
  const otherOwner = heldByAnother(await find(context.client.resource(services), wanted, context), context);
  if (otherOwner) return otherOwner;
  await context.client.resource(services).apply(wanted, { fieldManager, force: true, signal: context.signal });
  return done;
}

export async function ensureBudget({ minAvailable }: Of<'ensureBudget'>, context: ActContext): Promise<StepOutcome> {
  const wanted = disruptionBudget(identityOf(context.cluster), minAvailable);
  const budgets = context.client.resource(podDisruptionBudgets);
  const found = await find(budgets, wanted, context);
  const otherOwner = heldByAnother(found, context);
  if (otherOwner) return otherOwner;
  // Server-side apply does not remove fields of other writers. So a budget that counts other pods is deleted and created again.
  if (found && countsOtherwise(found, wanted)) {
    const { name, namespace, uid } = identityOf(found);
    await ignoreNotFound(budgets.delete({ name, namespace }, { preconditions: { uid }, signal: context.signal }));
  }
  await budgets.apply(wanted, { fieldManager, force: true, signal: context.signal });
  return done;
}

/** The caches hold only objects with our labels. Only a GET finds an object of another owner that has our name (safety rule 12). */
function find<T extends KubeObject>(
  resource: { get(key: ObjectKey, options: { readonly signal: AbortSignal }): Promise<T> },
  { metadata = {} }: T,
  { signal }: ActContext,
): Promise<T | undefined> {
  const { name = '', namespace = '' } = metadata;
  return ignoreNotFound(resource.get({ name, namespace }, { signal }));
}

function heldByAnother(found: KubeObject | undefined, { cluster }: ActContext): StepOutcome | undefined {
  if (!found || isOwnedBy(found, identityOf(cluster).uid)) return undefined;
  return {
    kind: 'impossible',
    why: `${found.kind} ${found.metadata?.name} already exists and belongs to another owner. The operator does not change it. If nothing needs it, delete it.`,
  };
}

/** Deletes only the operator's own budget: since the observation, an object of another owner may have got the same name. */
export async function deleteBudget({ client, cluster, signal }: ActContext): Promise<StepOutcome> {
  const { name, namespace } = identityOf(cluster);
  const budgets = client.resource(podDisruptionBudgets);
  const found = await ignoreNotFound(budgets.get({ name, namespace }, { signal }));
  if (!found || !isOwnedBy(found, identityOf(cluster).uid)) return done;
  const { uid } = identityOf(found);
  return outcomeOf(budgets.delete({ name, namespace }, { preconditions: { uid }, signal }));
}

/**
 * Writes the identity to the annotations first, then to the status. Both writes name the UID and resource version of the observed
 * EtcdCluster, so that a record that another writer has changed is never overwritten.
 */
export async function recordIdentity(
  step: Of<'recordIdentity'>,
  { client, cluster, signal }: ActContext,
): Promise<StepOutcome> {
  const { name, namespace, uid } = identityOf(cluster);
  const { clusterId, incarnation, bootstrapVersion } = step;
  const clusters = client.resource(etcdClusters.resource);
  const notes = {
    [annotations.clusterId]: clusterId,
    [annotations.incarnation]: String(incarnation),
    ...(bootstrapVersion !== '' && { [annotations.bootstrapVersion]: bootstrapVersion }),
  };
  const write = async () => {
    const metadata = { uid, resourceVersion: cluster.metadata?.resourceVersion, annotations: notes };
    const noted = await clusters.patch(
      { name, namespace },
      { type: 'merge', patch: { metadata } },
      { fieldManager, signal },
    );
    const status = { clusterID: clusterId, incarnation };
    await clusters.status.patch(
      { name, namespace },
      { type: 'merge', patch: { metadata: { uid, resourceVersion: noted.metadata?.resourceVersion }, status } },
      { fieldManager, signal },
    );
  };
  return outcomeOf(write());
}

/**
 * Records a version that is older than the version with which the cluster was bootstrapped, because the raft log may hold entries of the
 * older version from now on. Such a cluster needs a raft snapshot before it is upgraded to the next minor version (operator rule 3).
 */
export async function noteOlderVersion(version: string, { client, cluster, signal }: ActContext): Promise<StepOutcome> {
  const { name, namespace, uid } = identityOf(cluster);
  const [first, older] = [
    parseVersion(cluster.metadata?.annotations?.[annotations.bootstrapVersion] ?? ''),
    parseVersion(version),
  ];
  if (!first || !older || compareMinors(first, older) <= 0) return done;
  const patch = { metadata: { uid, annotations: { [annotations.bootstrapVersion]: version } } };
  const clusters = client.resource(etcdClusters.resource);
  return outcomeOf(clusters.patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal }));
}

export async function deletePod(step: Of<'deletePod'>, context: ActContext): Promise<StepOutcome> {
  const { name, uid, force, graceSeconds, resourceVersion } = step;
  const { namespace } = identityOf(context.cluster);
  const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
  const gracePeriodSeconds = force ? 0 : graceSeconds;
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  const options = { preconditions, ...grace, signal: context.signal };
  return outcomeOf(context.client.resource(pods).delete({ name, namespace }, options));
}

export async function deleteVolume({ name, uid }: Of<'deleteVolume'>, context: ActContext): Promise<StepOutcome> {
  const { namespace } = identityOf(context.cluster);
  const options = { preconditions: { uid }, signal: context.signal };
  return outcomeOf(context.client.resource(persistentVolumeClaims).delete({ name, namespace }, options));
}

/** Removes or adds the label `app`. A pod without this label is an endpoint of no Service; its process continues, and its data is kept. */
export async function isolatePod(step: Of<'isolatePod' | 'unisolatePod'>, context: ActContext): Promise<StepOutcome> {
  const app = step.do === 'isolatePod' ? null : 'etcd';
  return patchPod(step.name, { uid: step.uid, labels: { [labels.app]: app } }, context);
}

/**
 * Describes the pod or volume of a member that exists in the API server but that the plan did not see; undefined if there is none. The
 * caches hold only objects with our labels, and may lag behind. If the object has lost its labels, they are added again. An object that was
 * just created will be in the cache soon.
 */
export async function findUncached(
  name: string,
  { client, cluster, seen, signal }: ActContext,
): Promise<string | undefined> {
  const { name: clusterName, namespace, uid } = identityOf(cluster);
  const unseen: string[] = [];
  for (const resource of [client.resource(pods), client.resource(persistentVolumeClaims)] as const) {
    const found = await ignoreNotFound<KubeObject>(resource.get({ name, namespace }, { signal }));
    if (!found || !isOwnedBy(found, uid)) continue;
    const { labels: has = {}, uid: itsUid = '' } = found.metadata ?? {};
    // While a pod is isolated, it lacks the label `app` on purpose. A volume is in the cache only with both labels.
    const isLabelled = has[labels.cluster] === clusterName && (found.kind === 'Pod' || has[labels.app] === 'etcd');
    if (!isLabelled) {
      const patch = { metadata: { uid: itsUid, labels: clusterLabels(clusterName) } };
      await outcomeOf(resource.patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal }));
      unseen.push(`its ${found.kind} had lost its labels; the operator has added the labels again`);
    } else if (!seen.has(itsUid)) unseen.push(`its ${found.kind} exists, but was not in the operator's cache yet`);
  }
  return unseen.length > 0 ? unseen.join('; ') : undefined;
}

/**
 * Adds the labels again to pods and volumes of this cluster that have lost them, because the caches do not show such objects. The operator
 * reports that all data is lost only if no such object was found. Resolves with what was found, such as `PersistentVolumeClaim c-x`.
 */
export async function relabelOwned({
  client,
  cluster,
  signal,
}: Pick<ActContext, 'client' | 'cluster' | 'signal'>): Promise<readonly string[]> {
  const { name: clusterName, namespace, uid } = identityOf(cluster);
  const found: string[] = [];
  for (const resource of [client.resource(pods), client.resource(persistentVolumeClaims)] as const) {
    const { items } = await resource.list({ namespace, signal });
    const overlooked = items.filter(
      (item) => isOwnedBy(item, uid) && item.metadata?.labels?.[labels.cluster] !== clusterName,
    );
    for (const { kind, metadata } of overlooked) {
      const patch = { metadata: { uid: metadata?.uid, labels: clusterLabels(clusterName) } };
      const key = { name: metadata?.name ?? '', namespace };
      await outcomeOf(resource.patch(key, { type: 'merge', patch }, { fieldManager, signal }));
      found.push(`${kind ?? 'object'} ${key.name}`);
    }
  }
  return found;
}

/** Changes the metadata of a running pod. A pod that was replaced or changed since the observation is left alone. */
export async function patchPod(
  name: string,
  metadata: Readonly<Record<string, unknown>>,
  context: ActContext,
  spec?: unknown,
): Promise<StepOutcome> {
  const { namespace } = identityOf(context.cluster);
  const patch = { metadata, ...(spec !== undefined && { spec }) };
  return outcomeOf(
    context.client
      .resource(pods)
      .patch({ name, namespace }, { type: 'strategic', patch }, { fieldManager, signal: context.signal }),
  );
}

/**
 * How a write ended. A write to an object that no longer exists counts as done. If the object was replaced or changed since the
 * observation, the next reconciliation decides.
 */
export async function outcomeOf(write: Promise<unknown>): Promise<StepOutcome> {
  try {
    await write;
    return done;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return done;
    if (isKubeError(error, 'Conflict', 'Gone') || isOtherObject(error)) return { kind: 'refused', why: error.message };
    throw error;
  }
}

/** The API server refuses a patch that names another UID, as an attempt to change the UID. */
function isOtherObject(error: unknown): error is KubeError {
  return (
    isKubeError(error, 'Invalid') &&
    (error.status?.details?.causes?.some(({ field }) => field === 'metadata.uid') ?? false)
  );
}
