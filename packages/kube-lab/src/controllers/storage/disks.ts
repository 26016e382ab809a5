// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolume } from '@etcd-operator/kube';

/** The provisioner of the lab's own storage classes. */
export const labProvisioner = 'disk.kube-lab';

/** Where volumes get their bytes from. A handle names a disk for ever. */
export interface Disks {
  /** Makes an empty disk. A disk of memory has a hard size; any other is a folder that can grow. Repeating it is harmless. */
  create(handle: string, options: { readonly sizeBytes: number; readonly memory: boolean }): Promise<void>;
  expand(handle: string, sizeBytes: number): Promise<void>;
  remove(handle: string): Promise<void>;
  /** The folder of a volume of this lab; undefined for any other. */
  path(volume: PersistentVolume): string | undefined;
}
