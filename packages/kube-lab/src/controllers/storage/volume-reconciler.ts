// SPDX-License-Identifier: Apache-2.0
import {
  isKubeError,
  keyOf,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
} from '@operator-parts/kube';
import type { ControllerContext } from '../controller.ts';
import { type Disks, labProvisioner } from './disks.ts';

/** Updates a volume's phase, and reclaims the volume when its PVC is deleted. */
export async function reconcileVolume(context: ControllerContext, volume: PersistentVolume): Promise<undefined> {
  const phase = phaseOf(context, volume);
  if (volume.status?.phase !== phase) await setPhase(context, volume, phase);
  const isOurs = volume.spec?.csi?.driver === labProvisioner;
  if (
    phase === 'Released' &&
    !volume.metadata?.deletionTimestamp &&
    isOurs &&
    volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
  ) {
    await ignoreMissing(context.client.resource(persistentVolumes).delete(keyOf(volume)));
  }
}

type Phase = NonNullable<NonNullable<PersistentVolume['status']>['phase']>;

function phaseOf({ caches }: ControllerContext, volume: PersistentVolume): Phase {
  const reference = volume.spec?.claimRef;
  if (!reference) return 'Available';
  const claim = caches.of(persistentVolumeClaims).get(reference.namespace, reference.name ?? '');
  if (claim && (!reference.uid || claim.metadata?.uid === reference.uid)) {
    return claim.spec?.volumeName === volume.metadata?.name ? 'Bound' : (volume.status?.phase ?? 'Available');
  }
  return reference.uid ? 'Released' : 'Available';
}

async function setPhase({ client }: ControllerContext, volume: PersistentVolume, phase: Phase): Promise<void> {
  const status = { ...volume.status, phase };
  await client.resource(persistentVolumes).status.replace(keyOf(volume), { ...volume, status });
}

/** Frees the storage of deleted volumes. */
export async function reclaim(disks: Disks, volume: PersistentVolume): Promise<void> {
  const { csi, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  if (csi?.driver === labProvisioner && persistentVolumeReclaimPolicy === 'Delete')
    await disks.remove(csi.volumeHandle);
}

async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
