// SPDX-License-Identifier: Apache-2.0
import {
  isKubeError,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type StorageClass,
  storageClasses,
} from '@operator-parts/kube';
import { quantityNumber } from '../../schema/quantity-text.ts';
import type { ControllerContext } from '../controller.ts';
import { selectedNodeAnnotation } from '../scheduler/claims.ts';
import { type Disks, labProvisioner } from './disks.ts';
import {
  claimReference,
  defaultClassAnnotation,
  failureParameter,
  findVolume,
  mediumParameter,
  provisionedVolume,
  requestOf,
} from './volume-objects.ts';

const retryDelay = 15_000;

/** Reconciles one PVC: default class, volume, binding and resizing. */
export async function reconcileClaim(
  context: ControllerContext,
  disks: Disks,
  claim: PersistentVolumeClaim,
): Promise<number | undefined> {
  if (claim.metadata?.deletionTimestamp) return undefined;
  if (claim.status?.phase === 'Bound') return settleBound(context, disks, claim);
  const storageClass = classOf(context, claim);
  if (claim.spec?.storageClassName === undefined && storageClass) return nameClass(context, claim, storageClass);
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const node = claim.metadata?.annotations?.[selectedNodeAnnotation];
  const found = findVolume(claim, context.caches.of(persistentVolumes).list());
  if (waits && !node && !found?.spec?.claimRef) {
    return say(
      context,
      claim,
      'Normal',
      'WaitForFirstConsumer',
      'waiting for first consumer to be created before binding',
    );
  }
  if (found) return bind(context, claim, found);
  if (storageClass?.provisioner === labProvisioner) return provision(context, disks, claim, storageClass, node);
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return say(context, claim, 'Normal', 'FailedBinding', message);
}

function classOf({ caches }: ControllerContext, claim: PersistentVolumeClaim): StorageClass | undefined {
  const cache = caches.of(storageClasses);
  const name = claim.spec?.storageClassName;
  if (name !== undefined) return cache.get(undefined, name);
  return cache.list().find(({ metadata }) => metadata?.annotations?.[defaultClassAnnotation] === 'true');
}

async function nameClass(
  { client }: ControllerContext,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): Promise<undefined> {
  const patch = { spec: { storageClassName: storageClass.metadata?.name } };
  await client.resource(persistentVolumeClaims).patch(keyOf(claim), { type: 'merge', patch });
}

async function provision(
  context: ControllerContext,
  disks: Disks,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: string | undefined,
): Promise<number | undefined> {
  const volume = provisionedVolume(claim, storageClass, node);
  const { events } = context;
  const name = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
  events.event(claim, 'Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${name}"`);
  try {
    const failure = storageClass.parameters?.[failureParameter];
    if (failure) throw new Error(failure);
    const memory = storageClass.parameters?.[mediumParameter] === 'memory';
    await disks.create(volume.metadata?.name ?? '', { sizeBytes: quantityNumber(requestOf(claim)), memory });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const message = `failed to provision volume with StorageClass "${storageClass.metadata?.name}": ${words}`;
    events.event(claim, 'Warning', 'ProvisioningFailed', message);
    return retryDelay / context.timeFactor;
  }
  await context.client
    .resource(persistentVolumes)
    .create(volume)
    .catch((error: unknown) => {
      if (!isKubeError(error, 'AlreadyExists')) throw error;
    });
  events.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata?.name}`);
  return 0;
}

/** The volume is reserved first, so that only one PVC can get it. */
async function bind(
  { client }: ControllerContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<number | undefined> {
  const reference = volume.spec?.claimRef;
  if (reference?.uid !== claim.metadata?.uid) {
    const spec = { ...volume.spec, claimRef: claimReference(claim) };
    await client.resource(persistentVolumes).replace({ ...volume, spec });
    return 0;
  }
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const claims = client.resource(persistentVolumeClaims);
  const patch = { metadata: { annotations }, spec: { volumeName: volume.metadata?.name } };
  const named = await claims.patch(keyOf(claim), { type: 'merge', patch });
  const status = {
    phase: 'Bound' as const,
    accessModes: volume.spec?.accessModes ?? [],
    capacity: volume.spec?.capacity ?? {},
  };
  await claims.status.replace(keyOf(claim), { ...named, status });
  return undefined;
}

async function settleBound(context: ControllerContext, disks: Disks, claim: PersistentVolumeClaim): Promise<undefined> {
  const volume = context.caches.of(persistentVolumes).get(undefined, claim.spec?.volumeName ?? '');
  const claims = context.client.resource(persistentVolumeClaims);
  if (!volume) {
    await claims.status.replace(keyOf(claim), { ...claim, status: { ...claim.status, phase: 'Lost' } });
    return;
  }
  const wanted = requestOf(claim);
  const present = claim.status?.capacity?.['storage'] ?? '0';
  const handle = volume.spec?.csi?.volumeHandle;
  if (quantityNumber(wanted) <= quantityNumber(present) || !handle) return;
  await disks.expand(handle, quantityNumber(wanted));
  const capacity = { storage: wanted };
  const grown = { type: 'merge', patch: { spec: { capacity } } } as const;
  await context.client.resource(persistentVolumes).patch(keyOf(volume), grown);
  await claims.status.replace(keyOf(claim), { ...claim, status: { ...claim.status, capacity } });
  context.events.event(
    claim,
    'Normal',
    'FileSystemResizeSuccessful',
    'MountVolume.NodeExpandVolume succeeded for volume',
  );
}

function say(
  { events }: ControllerContext,
  claim: PersistentVolumeClaim,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): undefined {
  events.event(claim, type, reason, message);
}
