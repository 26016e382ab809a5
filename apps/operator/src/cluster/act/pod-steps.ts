// SPDX-License-Identifier: Apache-2.0
import { persistentVolumeClaims, pods } from '@etcd-operator/kube';
import { annotations, fieldManager, labels } from '../../api/names.ts';
import { type BootValues, disarmedBoot, memberPod } from '../objects/member-pod.ts';
import { volumeClaim } from '../objects/volume-claim.ts';
import { isReservedAnnotation } from '../observe/pod-facts.ts';
import type { Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';
import { identityOf } from './cluster-identity.ts';
import { onceOnly, patchPod, unlessThere } from './object-steps.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

export interface NewMember {
  readonly name: string;
  readonly incarnation: number;
  readonly boot: BootValues;
  readonly identity?: { readonly clusterId: string; readonly memberId: string };
  readonly isVoter?: boolean;
}

/** The volume, if the cluster uses them, then the pod. Both exist already if another operator was faster: that is fine. */
export async function createMember(member: NewMember, context: ActContext): Promise<StepOutcome> {
  const { client, cluster, desired, signal, tlsKeys } = context;
  const identity = identityOf(cluster);
  const claimSpec = cluster.spec.pod?.persistentVolumeClaimSpec;
  if (desired.storage === 'claim' && claimSpec) {
    await unlessThere(
      client
        .resource(persistentVolumeClaims)
        .create(volumeClaim(identity, member, claimSpec), { fieldManager, signal }),
    );
  }
  const pod = memberPod({ ...member, cluster: identity, desired, spec: cluster.spec, tlsKeys });
  await unlessThere(client.resource(pods).create(pod, { fieldManager, signal }));
  return done;
}

/**
 * Takes a pod's boot values away. The volume gets its identity first: the pod's own patch is what shows that all is done. The
 * patch names UID and version, so that it hits exactly the pod that was looked at.
 */
export async function disarm(step: Of<'disarm'>, context: ActContext): Promise<StepOutcome> {
  const identity = { [annotations.clusterId]: step.clusterId, [annotations.memberId]: step.memberId };
  const volume = await onceOnly(writeVolumeIdentity(step.pod, identity, context));
  if (volume.kind === 'refused') return volume;
  const metadata = {
    uid: step.uid,
    resourceVersion: step.resourceVersion,
    annotations: { ...disarmedBoot, ...identity },
    ...(step.markVoter && { labels: { [labels.voter]: 'true' } }),
  };
  return patchPod(step.pod, metadata, context);
}

async function writeVolumeIdentity(
  name: string,
  notes: Readonly<Record<string, string>>,
  context: ActContext,
): Promise<unknown> {
  if (context.desired.storage !== 'claim') return undefined;
  const { namespace } = identityOf(context.cluster);
  const patch = { metadata: { annotations: notes } };
  return context.client
    .resource(persistentVolumeClaims)
    .patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal: context.signal });
}

/** One patch carries image, version and options, so that a process never runs with a mixture. */
export async function setImage(step: Of<'setImage'>, context: ActContext): Promise<StepOutcome> {
  const isWayBack = step.from !== '' && step.version === step.previous;
  const metadata = {
    uid: step.uid,
    resourceVersion: step.resourceVersion,
    annotations: {
      [annotations.version]: step.version,
      [annotations.previousVersion]: isWayBack ? null : step.from,
      [annotations.snapshotCount]: step.snapshotCount,
    },
  };
  return patchPod(step.pod, metadata, context, { containers: [{ name: 'etcd', image: step.image }] });
}

export async function settleImage(step: Of<'settleImage'>, context: ActContext): Promise<StepOutcome> {
  return patchPod(step.pod, { uid: step.uid, annotations: { [annotations.previousVersion]: null } }, context);
}

export async function setSnapshotCount(step: Of<'setSnapshotCount'>, context: ActContext): Promise<StepOutcome> {
  return patchPod(
    step.pod,
    { uid: step.uid, annotations: { [annotations.snapshotCount]: step.snapshotCount } },
    context,
  );
}

/** Labels and annotations of the spec, on a living pod. */
export async function updatePod(step: Of<'updatePod'>, context: ActContext): Promise<StepOutcome> {
  const { pod } = context.cluster.spec;
  const own = Object.entries(pod?.annotations ?? {}).filter(([key]) => !isReservedAnnotation(key));
  return patchPod(
    step.name,
    { uid: step.uid, labels: { ...pod?.labels }, annotations: Object.fromEntries(own) },
    context,
  );
}
