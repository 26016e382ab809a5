// SPDX-License-Identifier: Apache-2.0
import { initialCluster } from '@etcd-operator/etcd';
import {
  createIfAbsent,
  ignoreNotFound,
  isKubeError,
  type Pod,
  persistentVolumeClaims,
  pods,
} from '@etcd-operator/kube';
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
import { findUnseen, outcomeOf, patchPod } from './object-steps.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

export interface NewMember {
  readonly name: string;
  readonly incarnation: number;
  readonly boot: BootValues;
  readonly release: Release;
  /** True if it must mount the volume it has, whatever the spec says of new ones by now. */
  readonly onVolume?: boolean;
  readonly identity?: { readonly clusterId: string; readonly memberId: string };
  readonly isVoter?: boolean;
  /** True if the files it will find belong to root. */
  readonly ownsFilesAsRoot?: boolean;
  /** What to go back to if its version does not work. */
  readonly rollbackTo?: Release | undefined;
}

/**
 * The volume, if the cluster uses them, then the pod. Both exist already if another operator was faster: that is fine, unless the
 * volume of that name is somebody else's.
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
  // It exists although it was not observed: the cache is behind, or its labels were removed. An immediate retry would be refused again.
  await findUnseen(member.name, context);
  return { kind: 'refused', why: `pod/${member.name} exists already.` };
}

/**
 * What the API server has against the pod of a member, asked without making it; undefined if nothing. It is judged before its name is
 * looked at, so that the pod that has the name now does no harm. A quota counts that pod as well, and proves nothing.
 */
export async function whyNotTaken(member: NewMember, context: ActContext): Promise<string | undefined> {
  const { client, signal } = context;
  try {
    await client.resource(pods).create(podOf(member, false, context), { dryRun: true, fieldManager, signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return undefined;
    // Whatever else keeps the server from an answer would keep the pod from being made as well: it is asked again later.
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

/** False if it is there already, or if the member must have the volume that it has. */
async function createVolume(member: NewMember, desired: Desired, context: ActContext): Promise<boolean> {
  const { client, cluster, signal } = context;
  const claimSpec = cluster.spec.pod?.persistentVolumeClaimSpec;
  if (member.onVolume || claimSpec === undefined) return false;
  const claim = volumeClaim(identityOf(cluster), member, desired, claimSpec);
  return createIfAbsent(client.resource(persistentVolumeClaims).create(claim, { fieldManager, signal }));
}

/**
 * Clears a pod's bootstrap configuration. The volume gets its identity first: the pod's own patch is what shows that all is done. The
 * patch names UID and version, so that it hits exactly the pod that was looked at.
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

/** A container that is made at this very moment may still read the old list: its etcd exits then, and is started with this one. */
export async function renewBootList(
  { pod, uid }: Of<'renewBootList'>,
  members: Parameters<typeof initialCluster>[0],
  context: ActContext,
): Promise<StepOutcome> {
  const notes = { [annotations.initialCluster]: initialCluster(members) };
  return patchPod(pod, { uid, annotations: notes }, context);
}

/** What a volume must say of its member before its pod does: a pod without a volume leaves nothing to be said. */
async function writeOnVolume(
  { pod, onVolume }: Of<'clearBootstrap' | 'setImage' | 'confirmImage'>,
  notes: Readonly<Record<string, string | null>>,
  context: ActContext,
): Promise<StepOutcome> {
  if (!onVolume) return done;
  const claim = await readClaim(pod, context);
  // Gone: the next reconciliation decides.
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

/** One patch carries image, version and options, so that a process never runs with a mixture. */
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

/** Labels and annotations of the spec, on a living pod. What came from the spec and has left it is removed. */
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
 * New requests and limits for the etcd container, without a restart; the pod's digest follows them. Where the API server will
 * not have it, the pod says so from then on: it can follow the spec only by being recreated.
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
