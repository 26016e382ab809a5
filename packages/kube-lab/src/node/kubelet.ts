// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { ObjectCache } from '../controllers/object-cache.ts';
import { hasPodEnded } from '../controllers/workloads/pod-condition.ts';
import type { ObjectChange } from '../server/object-feed.ts';
import { ImagePuller } from './container/image-puller.ts';
import type { NodeContext } from './node-context.ts';
import { PodWorker } from './pod/pod-worker.ts';

/** The kubelet of one node: runs the pods that are bound to it. */
export class Kubelet {
  readonly #node: NodeContext;
  readonly #puller: ImagePuller;
  readonly #workers = new Map<string, PodWorker>();
  readonly #leave: readonly (() => void)[];
  readonly #pods: ObjectCache<Pod>;
  readonly #done = new Set<string>();
  #paused = false;

  /** @param pods the node's own cache of all pods; it is not updated while the node is disconnected */
  constructor(node: NodeContext, pods: ObjectCache<Pod>) {
    this.#node = node;
    this.#pods = pods;
    this.#puller = new ImagePuller(node.images, node.events, node.clock);
    this.#leave = [
      pods.subscribe((change) => this.#podChanged(change)),
      node.runtime.onExit((exit) => {
        for (const worker of this.#workers.values()) if (worker.exited(exit)) return;
      }),
    ];
  }

  /** The pods on this node, including deleted ones whose containers have not ended. */
  get workers(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /**
   * Reconciles every pod again. Called when the API server is reachable again, or an object that a volume shows has
   * changed.
   */
  poke(): void {
    for (const worker of this.#workers.values()) worker.poke();
  }

  pause(): void {
    this.#paused = true;
    for (const worker of this.#workers.values()) worker.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const worker of this.#workers.values()) worker.resume();
  }

  /** Ends all processes of the node at once, as a power failure does. */
  async powerOff(): Promise<void> {
    this.#paused = true;
    await Promise.all(this.workers.map((worker) => worker.powerOff()));
  }

  async powerOn(options: { readonly keepEmptyDirs: boolean }): Promise<void> {
    this.#paused = false;
    await Promise.all(this.workers.map((worker) => worker.powerOn(options)));
  }

  /** Forgets all pods without ending them. */
  close(): void {
    for (const leave of this.#leave) leave();
    for (const worker of this.#workers.values()) worker.abandon();
    this.#workers.clear();
  }

  #podChanged({ type, object }: ObjectChange<Pod>): void {
    const uid = object.metadata?.uid ?? '';
    const worker = this.#workers.get(uid);
    if (type === 'DELETED') {
      this.#done.delete(uid);
      worker?.vanish(object);
    } else if (worker) worker.update(object);
    // Nothing to do for a pod that ended on this node before this kubelet started.
    else if (object.spec?.nodeName === this.#node.nodeName && !this.#done.has(uid) && !hasPodEnded(object))
      this.#adopt(uid, object);
  }

  #adopt(uid: string, pod: Pod): void {
    const onClosed = () => {
      this.#workers.delete(uid);
      // While a finalizer keeps the object, the pod must not be run again: its containers have ended.
      if (this.#pods.get(pod.metadata?.namespace, pod.metadata?.name ?? '')?.metadata?.uid === uid) this.#done.add(uid);
    };
    const worker = new PodWorker({ node: this.#node, puller: this.#puller, pod, onClosed });
    this.#workers.set(uid, worker);
    if (this.#paused) worker.pause();
  }
}
