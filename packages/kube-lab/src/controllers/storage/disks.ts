// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolume } from '@operator-parts/kube';

/** The provisioner of the lab's own storage classes. */
export const labProvisioner = 'disk.kube-lab';

/** The storage behind volumes. A handle always names the same disk. */
export interface Disks {
  /** Creates an empty disk. A memory disk has a fixed size; any other is a folder that can grow. Idempotent. */
  create(handle: string, options: { readonly sizeBytes: number; readonly memory: boolean }): Promise<void>;
  expand(handle: string, sizeBytes: number): Promise<void>;
  remove(handle: string): Promise<void>;
  /** The folder of a volume of this lab; undefined for other volumes. */
  path(volume: PersistentVolume): string | undefined;
}
