// SPDX-License-Identifier: Apache-2.0
import {
  matchesLabelSelector,
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@operator-parts/kube';
import { quantityNumber } from '../../schema/quantity-text.ts';
import { labProvisioner } from './disks.ts';

/** Marks the default storage class. */
export const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';
/** Class parameter: `memory` gives a tmpfs of exactly the requested size. */
export const mediumParameter = 'medium';
/** Class parameter: `true` binds the volume to the node it was created on. */
const localParameter = 'local';
/** Class parameter: provisioning always fails, with this message. */
export const failureParameter = 'failure';

/** The storage classes a lab starts with. */
export function labStorageClasses(): readonly StorageClass[] {
  const make = (name: string, change: Partial<StorageClass> = {}): StorageClass => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: labProvisioner,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
    ...change,
  });
  return [
    make('standard', { metadata: { name: 'standard', annotations: { [defaultClassAnnotation]: 'true' } } }),
    make('immediate', { volumeBindingMode: 'Immediate' }),
    make('local', { parameters: { [localParameter]: 'true' } }),
    make('memory', { parameters: { [mediumParameter]: 'memory' } }),
    make('broken', { parameters: { [failureParameter]: 'the storage backend refused to make the volume' } }),
  ];
}

/** The volume provisioned for a PVC. */
export function provisionedVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: string | undefined,
): PersistentVolume {
  const name = `pvc-${claim.metadata?.uid}`;
  const isLocal = storageClass.parameters?.[localParameter] === 'true' && node !== undefined;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { 'pv.kubernetes.io/provisioned-by': labProvisioner },
    },
    spec: {
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: requestOf(claim) },
      claimRef: claimReference(claim),
      csi: { driver: labProvisioner, volumeHandle: name, volumeAttributes: storageClass.parameters ?? {} },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata?.name ?? '',
      volumeMode: 'Filesystem',
      ...(isLocal ? { nodeAffinity: tiedTo(node) } : {}),
    },
  };
}

function tiedTo(node: string): NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']> {
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] } as const;
  return { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } };
}

/** The reference from a volume to its PVC. */
export function claimReference({ metadata }: PersistentVolumeClaim): ObjectReference {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: metadata?.name ?? '',
    namespace: metadata?.namespace ?? '',
    uid: metadata?.uid ?? '',
  };
}

/** The requested size of a PVC. */
export function requestOf(claim: PersistentVolumeClaim): string {
  return claim.spec?.resources?.requests?.['storage'] ?? '1Gi';
}

/** The volume that is reserved for the PVC, or else the smallest free volume that fits. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const { name, namespace, uid } = claim.metadata ?? {};
  const reserved = volumes.find(({ spec }) => {
    const reference = spec?.claimRef;
    return reference?.name === name && reference?.namespace === namespace && (!reference?.uid || reference.uid === uid);
  });
  if (reserved) return reserved;
  return volumes
    .filter((volume) => !volume.spec?.claimRef && fits(claim, volume))
    .toSorted((left, right) => sizeOf(left) - sizeOf(right))[0];
}

function fits(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return (
    (volume.spec?.storageClassName ?? '') === (claim.spec?.storageClassName ?? '') &&
    sizeOf(volume) >= quantityNumber(requestOf(claim)) &&
    (claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (!claim.spec?.selector || matchesLabelSelector(claim.spec.selector, volume.metadata?.labels)) &&
    (!claim.spec?.volumeName || claim.spec.volumeName === volume.metadata?.name)
  );
}

function sizeOf(volume: PersistentVolume): number {
  return quantityNumber(volume.spec?.capacity?.['storage'] ?? '0');
}
