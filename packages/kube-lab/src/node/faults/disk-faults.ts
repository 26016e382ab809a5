// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '@operator-parts/kube';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';
import type { Directory } from './target.ts';

/**
 * Faults of the volumes of pods. They are caused inside the lab's mount namespace, where volumes in memory are visible,
 * too.
 */
export class DiskFaults {
  readonly #agent: AgentProcess;
  readonly #directory: Directory;

  constructor(agent: AgentProcess, directory: Directory) {
    this.#agent = agent;
    this.#directory = directory;
  }

  /**
   * Fills a volume completely. The volume must be in memory: only these have a fixed size. Returns the file that fills
   * it.
   */
  async fill(pod: ObjectKey, volume: string): Promise<string> {
    return this.#agent.call('fillDisk', { directory: this.path(pod, volume) });
  }

  /** Frees the space after `fill`. */
  async relieve(pod: ObjectKey, volume: string): Promise<void> {
    await this.#agent.call('relieveDisk', { directory: this.path(pod, volume) });
  }

  /** Removes everything on a volume. */
  async blank(pod: ObjectKey, volume: string): Promise<void> {
    await this.#agent.call('blankDisk', { directory: this.path(pod, volume) });
  }

  /** Swaps the content of the volumes of two pods. */
  async swap(one: ObjectKey, other: ObjectKey, volume: string): Promise<void> {
    await this.#agent.call('swapDisks', { one: this.path(one, volume), other: this.path(other, volume) });
  }

  /**
   * Overwrites bytes in the middle of each file of a volume whose path contains `match`. Returns the changed paths,
   * relative to the volume.
   */
  async corrupt(pod: ObjectKey, volume: string, match = ''): Promise<readonly string[]> {
    const hit = await this.#agent.call('corruptDisk', { directory: this.path(pod, volume), match });
    if (hit.length > 0) return hit;
    throw new RuntimeError('NotFound', `volume ${volume} of pod ${pod.name} has no file that matches "${match}"`);
  }

  /** The folder of a pod's volume on the host. */
  path(pod: ObjectKey, volume: string): string {
    const path = this.#directory.pod(pod).volumes.path(volume);
    if (path) return path;
    throw new RuntimeError('NotFound', `pod ${pod.name} has no volume ${volume} at the moment`);
  }
}
