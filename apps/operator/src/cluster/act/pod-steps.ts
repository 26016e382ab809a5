// SPDX-License-Identifier: Apache-2.0
import { initialCluster } from '@operator-parts/etcd';
import {
  createIfAbsent,
  ignoreNotFound,
  isKubeError,
  type Pod,
  persistentVolumeClaims,
  pods,
} from '@operator-parts/kube';
import { annotations, fieldManager, labels } from '../../api/names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { Desired } from '../desired.ts';
import { type BootValues, clearedBoot, memberPod } from '../objects/member-pod.ts';
import { withResourcesOf } from '../objects/template.ts';
import { keysFromSpec, originNote, type UserMetadata, userMetadata } from '../objects/user-metadata.ts';
import { volumeClaim } from '../objects/volume-claim.ts';
import type { Release, Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';
import { readClaim, refuseVolume, whyNotThisCluster } from './member-volume.ts';
import { findUncached, outcomeOf, patchPod } from './object-steps.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

export interface NewMember {
  readonly name: string;
  readonly incarnation: number;
  readonly boot: BootValues;
  readonly release: Release;
  /** True if the member must mount its existing volume, whatever the spec now says about new volumes. */
  readonly onVolume?: boolean;
  readonly identity?: { readonly clusterId: string; readonly memberId: string };
  readonly isVoter?: boolean;
  /** True if the files on its volume belong to root. */
  readonly ownsFilesAsRoot?: boolean;
  /** The release to roll back to if the new version does not work. */
  readonly rollbackTo?: Release | undefined;
}

/**
 * Creates the volume, if the cluster uses volumes, and then the pod. If the volume exists already, it is used, unless it holds data of
 * another member or belongs to another owner.
 */
export async function createMember(member: NewMember, context: ActContext): Promise<StepOutcome> {
  const { client, signal } = context;
  const desired = desiredOf(member, context);
  const freshVolume = desired.storage === 'claim' && (await createVolume(member, desired, context));
  if (desired.storage === 'claim' && !freshVolume) {
    const refused = refuseVolume(member.name, await readClaim(member.name, context), member, context);
    if (refused) return refused;
  }
  const pod = podOf(member, freshVolume, context);
  if (await createIfAbsent(client.resource(pods).create(pod, { fieldManager, signal }))) return done;
  // The plan did not see the existing pod: the cache lags behind, or the labels of the pod were removed. Its labels are added again,
  // because otherwise every retry would be refused.
  await findUncached(member.name, context);
  return { kind: 'refused', why: `pod/${member.name} exists already.` };
}

/**
 * Asks the API server by a dry run why it would refuse the pod of a member; undefined if it would accept the pod. The API server validates
 * a pod before it checks the name, so an existing pod of the same name does not matter. A quota also counts the existing pod, so an
 * exceeded quota does not show that the new pod would be refused.
 */
export async function whyNotTaken(member: NewMember, context: ActContext): Promise<string | undefined> {
  const { client, signal } = context;
  try {
    await client.resource(pods).create(podOf(member, false, context), { dryRun: true, fieldManager, signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return undefined;
    // Any other error, such as a timeout, would also prevent the creation of the pod. The API server is asked again later.
    if (!isKubeError(error, 'Invalid', 'Forbidden', 'BadRequest')) throw error;
    const why = error.status?.message ?? error.message;
    return why.includes('exceeded quota') ? undefined : why;
  }
  return undefined;
}

function podOf(member: NewMember, freshVolume: boolean, context: ActContext): Pod {
  const { cluster, tlsKeys } = context;
  const of = { cluster: identityOf(cluster), spec: cluster.spec, desired: desiredOf(member, context) };
  return memberPod({ ...member, ...of, tlsKeys, freshVolume });
}

function desiredOf({ release, onVolume }: NewMember, { desired }: ActContext): Desired {
  return { ...desired, ...release, storage: onVolume ? 'claim' : desired.storage };
}

/** Creates the volume of a member. False if it exists already, or if the member must use its existing volume. */
async function createVolume(member: NewMember, desired: Desired, context: ActContext): Promise<boolean> {
  const { client, cluster, signal } = context;
  const claimSpec = cluster.spec.pod?.persistentVolumeClaimSpec;
  if (member.onVolume || claimSpec === undefined) return false;
  const claim = volumeClaim(identityOf(cluster), member, desired, claimSpec);
  return createIfAbsent(client.resource(persistentVolumeClaims).create(claim, { fieldManager, signal }));
}

/**
 * Clears the bootstrap configuration of a pod. The identity is recorded on the volume first, because the pod must show it only when
 * everything is done. The patch of the pod names its UID and resource version, so that only the observed pod is changed.
 */
export async function clearBootstrap(step: Of<'clearBootstrap'>, context: ActContext): Promise<StepOutcome> {
  const identity = { [annotations.clusterId]: step.clusterId, [annotations.memberId]: step.memberId };
  const volume = await writeOnVolume(step, { ...identity, [annotations.version]: step.version }, context);
  if (volume.kind !== 'done') return volume;
  const metadata = {
    uid: step.uid,
    resourceVersion: step.resourceVersion,
    annotations: {
      ...clearedBoot,
      ...identity,
      ...(step.bootstrapVersion && { [annotations.bootstrapVersion]: step.bootstrapVersion }),
    },
    ...(step.markVoter && { labels: { [labels.voter]: 'true' } }),
  };
  return patchPod(step.pod, metadata, context);
}

/**
 * A container that is being created at this moment may still read the old list. Its etcd then exits, and reads the new list when it
 * restarts.
 */
export async function renewBootList(
  { pod, uid }: Of<'renewBootList'>,
  members: Parameters<typeof initialCluster>[0],
  context: ActContext,
): Promise<StepOutcome> {
  const notes = { [annotations.initialCluster]: initialCluster(members) };
  return patchPod(pod, { uid, annotations: notes }, context);
}

/** Records facts about the member on its volume, before they are recorded on its pod. Nothing to do for a member without a volume. */
async function writeOnVolume(
  { pod, onVolume }: Of<'clearBootstrap' | 'setImage' | 'confirmImage'>,
  notes: Readonly<Record<string, string | null>>,
  context: ActContext,
): Promise<StepOutcome> {
  if (!onVolume) return done;
  const claim = await readClaim(pod, context);
  // The claim is gone: the next reconciliation decides.
  if (!claim) return done;
  const { namespace, uid } = identityOf(claim);
  const why = whyNotThisCluster(claim, context);
  if (why !== undefined) return { kind: 'impossible', why };
  const patch = { metadata: { uid, annotations: notes } };
  return outcomeOf(
    context.client
      .resource(persistentVolumeClaims)
      .patch({ name: pod, namespace }, { type: 'merge', patch }, { fieldManager, signal: context.signal }),
  );
}

/** One patch changes image, version and options together, so that etcd never starts with only some of them. */
export async function setImage(step: Of<'setImage'>, context: ActContext): Promise<StepOutcome> {
  const { rollbackTo } = step;
  const started = { [annotations.version]: step.version, [annotations.previousVersion]: rollbackTo?.version ?? null };
  const volume = await writeOnVolume(step, started, context);
  if (volume.kind !== 'done') return volume;
  const metadata = {
    uid: step.uid,
    resourceVersion: step.resourceVersion,
    annotations: {
      ...started,
      [annotations.previousImage]: rollbackTo?.image ?? null,
      [annotations.previousContainer]: rollbackTo ? step.container : null,
      [annotations.snapshotCount]: step.snapshotCount,
    },
  };
  return patchPod(step.pod, metadata, context, { containers: [{ name: 'etcd', image: step.image }] });
}

export async function confirmImage(step: Of<'confirmImage'>, context: ActContext): Promise<StepOutcome> {
  const settled = { [annotations.version]: step.version, [annotations.previousVersion]: null };
  const volume = await writeOnVolume(step, settled, context);
  if (volume.kind !== 'done') return volume;
  const cleared = {
    [annotations.previousVersion]: null,
    [annotations.previousImage]: null,
    [annotations.previousContainer]: null,
  };
  return patchPod(step.pod, { uid: step.uid, annotations: cleared }, context);
}

export async function setSnapshotCount(step: Of<'setSnapshotCount'>, context: ActContext): Promise<StepOutcome> {
  return patchPod(
    step.pod,
    { uid: step.uid, annotations: { [annotations.snapshotCount]: step.snapshotCount } },
    context,
  );
}

/** Applies labels and annotations of the spec to a running pod, and removes those that the spec no longer contains. */
export async function updatePod(step: Of<'updatePod'>, context: ActContext): Promise<StepOutcome> {
  const { client, cluster, signal } = context;
  const { pod = {} } = cluster.spec;
  const key = { name: step.name, namespace: identityOf(cluster).namespace };
  const found = await ignoreNotFound(client.resource(pods).get(key, { signal }));
  const notes = found?.metadata?.annotations;
  const removed = (kind: keyof UserMetadata) =>
    Object.fromEntries(keysFromSpec(notes, kind).map((name) => [name, null] as const));
  const metadata = {
    uid: step.uid,
    labels: { ...removed('labels'), ...userMetadata(pod?.labels) },
    annotations: {
      ...removed('annotations'),
      ...userMetadata(pod?.annotations),
      [annotations.fromSpec]: null,
      ...originNote(pod ?? {}),
    },
  };
  return patchPod(step.name, metadata, context);
}

/**
 * Sets new requests and limits of the etcd container without a restart, and records them in the digest of the pod. If the API server
 * refuses them, the refusal is recorded on the pod: only a new pod can then have these requests and limits.
 */
export async function resizePod({ name, uid }: Of<'resizePod'>, context: ActContext): Promise<StepOutcome> {
  const { namespace } = identityOf(context.cluster);
  const { spec } = context.cluster;
  const patch = { metadata: { uid }, spec: { containers: [{ name: 'etcd', resources: spec.pod?.resources ?? {} }] } };
  const resize = context.client.resource(pods).subresource<Pod>('resize');
  const options = { fieldManager, signal: context.signal };
  try {
    const { metadata } = await resize.patch({ name, namespace }, { type: 'strategic', patch }, options);
    const template = withResourcesOf(metadata?.annotations?.[annotations.template] ?? '{}', spec);
    return await patchPod(name, { uid, annotations: { [annotations.template]: template } }, context);
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Invalid', 'Forbidden', 'MethodNotAllowed')) throw error;
    return patchPod(name, { uid, annotations: { [annotations.resizeRefused]: withResourcesOf('{}', spec) } }, context);
  }
}
