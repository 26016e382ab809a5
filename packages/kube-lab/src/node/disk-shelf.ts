// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PersistentVolume } from '@operator-parts/kube';
import { type Disks, labProvisioner } from '../controllers/storage/disks.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { RuntimeError } from '../runtime/runtime-error.ts';

/** The part of the container runtime that `DiskShelf` uses. */
export type DiskMounter = Pick<ContainerRuntime, 'mountMemory' | 'resizeMemory' | 'unmount'>;

/** The lab's disks: folders, or memory file systems if a fixed size is wanted. All nodes can reach all of them. */
export class DiskShelf implements Disks {
  readonly #directory: string;
  readonly #mounter: () => DiskMounter | undefined;
  readonly #memory = new Set<string>();

  /** @param mounter mounts memory file systems; absent in a lab without nodes */
  constructor(directory: string, mounter: () => DiskMounter | undefined) {
    this.#directory = join(directory, 'disks');
    this.#mounter = mounter;
  }

  async create(handle: string, options: { readonly sizeBytes: number; readonly memory: boolean }): Promise<void> {
    const folder = this.folder(handle);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    if (!options.memory || this.#memory.has(handle)) return;
    await this.#needMounter().mountMemory(folder, options.sizeBytes);
    this.#memory.add(handle);
  }

  async expand(handle: string, sizeBytes: number): Promise<void> {
    if (this.#memory.has(handle)) await this.#needMounter().resizeMemory(this.folder(handle), sizeBytes);
  }

  async remove(handle: string): Promise<void> {
    const folder = this.folder(handle);
    if (this.#memory.delete(handle)) await this.#mounter()?.unmount(folder);
    await rm(folder, { recursive: true, force: true });
  }

  path(volume: PersistentVolume): string | undefined {
    const { csi } = volume.spec ?? {};
    return csi?.driver === labProvisioner ? this.folder(csi.volumeHandle) : undefined;
  }

  folder(handle: string): string {
    return join(this.#directory, handle.replaceAll('/', '_'));
  }

  #needMounter(): DiskMounter {
    const mounter = this.#mounter();
    if (!mounter)
      throw new RuntimeError('Unsupported', 'a volume in memory needs a node that mounts it; start the lab with nodes');
    return mounter;
  }
}
