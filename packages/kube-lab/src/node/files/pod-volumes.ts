// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { Pod, Volume } from '@operator-parts/kube';
import { quantityNumber } from '../../schema/quantity-text.ts';
import { ConfigError } from '../environment/config-source.ts';
import type { PodRuntimeFacts } from '../environment/field-path.ts';
import type { NodeContext } from '../node-context.ts';
import { type VolumeFiles, volumeFiles } from './volume-files.ts';

/** The volumes of one pod: their folders on the host, and how their content is updated. */
export class PodVolumes {
  readonly #node: NodeContext;
  readonly #directory: string;
  readonly #paths = new Map<string, string>();
  readonly #memory = new Set<string>();
  /** A hash of the present content of each volume with API objects, by path. */
  readonly #versions = new Map<string, string>();

  constructor(node: NodeContext, podDirectory: string) {
    this.#node = node;
    this.#directory = join(podDirectory, 'volumes');
  }

  /** The folder of a volume; undefined before it is set up. */
  path(name: string): string | undefined {
    return this.#paths.get(name);
  }

  /** Creates all volumes of the pod. Throws a `ConfigError` that names the first one that fails. */
  async setUp(pod: Pod, where: PodRuntimeFacts): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        this.#paths.set(volume.name, await this.#make(pod, where, volume));
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new ConfigError(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`);
      }
    }
  }

  /** Updates volumes with API objects. If an object is missing now, the last content is kept. */
  async refresh(pod: Pod, where: PodRuntimeFacts): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) {
      const path = this.#paths.get(volume.name);
      if (!path) continue;
      try {
        const files = await volumeFiles({ pod, where, config: this.#node.config }, volume);
        if (files) await this.#write(path, files);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    }
  }

  /** Removes the pod's own volumes; persistent volumes are kept. */
  async tearDown(): Promise<void> {
    for (const path of this.#memory) await this.#node.runtime.unmount(path).catch(() => undefined);
    this.#memory.clear();
    this.#versions.clear();
    this.#paths.clear();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #make(pod: Pod, where: PodRuntimeFacts, volume: Volume): Promise<string> {
    if (volume.persistentVolumeClaim) return this.#claim(pod, volume.persistentVolumeClaim.claimName);
    if (volume.hostPath) return this.#hostPath(volume.hostPath.path);
    const path = join(this.#directory, volume.name);
    await mkdir(path, { recursive: true });
    if (volume.emptyDir) return this.#emptyDir(path, volume.emptyDir);
    const files = await volumeFiles({ pod, where, config: this.#node.config }, volume);
    if (!files) throw new ConfigError('this kind of volume is not supported by the lab');
    // Secrets are never written to a disk.
    if (volume.secret || volume.projected) await this.#inMemory(path);
    await this.#write(path, files);
    return path;
  }

  /**
   * Each content is written into a folder of its own, named after the time. Programs that follow the kubelet's links
   * expect that.
   */
  async #write(path: string, files: VolumeFiles): Promise<void> {
    const version = versionOf(files);
    if (this.#versions.get(path) === version) return;
    const { clock, random, runtime } = this.#node;
    const stamp = new Date(clock.now()).toISOString().slice(0, 19).replace(/[-T:]/g, '_');
    const unique = String(Math.floor(random.next() * 1e9)).padStart(9, '0');
    const written = [...files].map(([name, { bytes, mode }]) => ({
      path: name,
      base64: Buffer.from(bytes).toString('base64'),
      mode,
    }));
    await runtime.writeFiles(path, written, `${stamp}.${unique}`);
    this.#versions.set(path, version);
  }

  async #inMemory(path: string, sizeBytes?: number): Promise<void> {
    if (this.#memory.has(path)) return;
    await this.#node.runtime.mountMemory(path, sizeBytes);
    this.#memory.add(path);
  }

  async #emptyDir(path: string, { medium, sizeLimit }: NonNullable<Volume['emptyDir']>): Promise<string> {
    await chmod(path, 0o777);
    if (medium === 'Memory') {
      await this.#inMemory(path, sizeLimit === undefined ? undefined : quantityNumber(sizeLimit));
    }
    return path;
  }

  /** A pod's `hostPath` is a folder of its lab node, never of the real host. */
  async #hostPath(path: string): Promise<string> {
    const folder = join(this.#node.directory, 'host', normalize(`/${path}`));
    await mkdir(folder, { recursive: true });
    return folder;
  }

  #claim(pod: Pod, name: string): string {
    const claim = this.#node.config.claim(pod.metadata?.namespace ?? '', name);
    if (!claim) throw new ConfigError(`persistentvolumeclaim "${name}" not found`);
    const bound = claim.spec?.volumeName ? this.#node.config.volume(claim.spec.volumeName) : undefined;
    if (claim.status?.phase !== 'Bound' || !bound) throw new ConfigError(`PVC ${name} is not bound`);
    const path = this.#node.diskPath(bound);
    if (!path) throw new ConfigError(`volume ${bound.metadata?.name} is not a disk of this lab`);
    return path;
  }
}

function versionOf(files: VolumeFiles): string {
  const hash = createHash('sha256');
  for (const [path, { bytes, mode }] of files) hash.update(`${path}\0${mode}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex').slice(0, 16);
}
