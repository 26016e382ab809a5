// SPDX-License-Identifier: Apache-2.0
import { isKubeError, jsonEqual, keyOf, type Pod, type PodStatus, pods } from '@operator-parts/kube';
import type { NodeContext } from '../node-context.ts';

const retryDelay = 1000;

/**
 * Keeps a pod's status in the API up to date, with one write at a time. A newer status replaces a status that waits. A
 * failed write is repeated with the newest status and object.
 */
export class StatusWriter {
  readonly #node: NodeContext;
  readonly #current: () => { readonly pod: Pod; readonly status: PodStatus };
  #writing: Promise<void> | undefined;
  #stale = false;
  #closed = false;

  /** @param current the latest object, and its desired status */
  constructor(node: NodeContext, current: () => { readonly pod: Pod; readonly status: PodStatus }) {
    this.#node = node;
    this.#current = current;
  }

  /** Makes sure that the status is written, now or when the node can reach the API server again. */
  poke(): void {
    if (this.#closed || !this.#node.isConnected()) return;
    this.#stale = true;
    this.#writing ??= this.#run().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the current status has been written, or cannot be written for now. */
  async flush(): Promise<void> {
    this.poke();
    await this.#writing;
  }

  close(): void {
    this.#closed = true;
  }

  async #run(): Promise<void> {
    while (this.#stale && !this.#closed && this.#node.isConnected()) {
      this.#stale = false;
      const { pod, status } = this.#current();
      if (jsonEqual(pod.status, status)) return;
      try {
        await this.#node.client.resource(pods).status.replace(keyOf(pod), { ...pod, status });
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return;
        this.#stale = true;
        // After a conflict, the newer object is about to arrive, so the delay is short. After another error, the server
        // may be failing.
        const delay = isKubeError(error, 'Conflict') ? 10 : retryDelay;
        await this.#node.clock.sleep(delay / this.#node.timeFactor);
      }
    }
  }
}
