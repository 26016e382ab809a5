// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isKubeError, keyOf, type Pod, type PodStatus, pods } from '@operator-parts/kube';
import type { Timer } from '@operator-parts/ports';
import type { ContainerExit } from '../../runtime/container-runtime.ts';
import { logDirectory } from '../container/container-logs.ts';
import { ContainerRunner } from '../container/container-runner.ts';
import type { ImagePuller } from '../container/image-puller.ts';
import { PodVolumes } from '../files/pod-volumes.ts';
import type { NodeContext } from '../node-context.ts';
import { graceSeconds, type PodAction, planPod } from './plan-pod.ts';
import { afterReboot, type PodEnding } from './pod-facts.ts';
import { PodRecord } from './pod-record.ts';
import { releaseNetwork, setUpPod, setupDelay } from './pod-setup.ts';
import { podStatus } from './pod-status.ts';
import { StatusWriter } from './status-writer.ts';

/**
 * One pod on one node. After every event (the object changes, a container exits, a probe result, time passes) the facts
 * are updated, a new plan is computed, and its steps begin. `planPod` decides; this class carries out the steps.
 */
export class PodWorker {
  readonly #node: NodeContext;
  readonly #record: PodRecord;
  readonly #volumes: PodVolumes;
  readonly #runner: ContainerRunner;
  readonly #writer: StatusWriter;
  readonly #directory: string;
  readonly #onClosed: () => void;
  #timer: Timer | undefined;
  #scheduled = false;
  #releasing = false;
  #released = false;
  #gone = false;
  #closed = false;
  #paused = false;
  #stale = false;
  #refreshing = false;

  constructor(options: {
    readonly node: NodeContext;
    readonly puller: ImagePuller;
    readonly pod: Pod;
    /** Called when everything of this pod is gone from the node, and its object from the API. */
    readonly onClosed: () => void;
  }) {
    const { node, puller, pod } = options;
    this.#node = node;
    this.#onClosed = options.onClosed;
    this.#directory = join(node.directory, 'pods', pod.metadata?.uid ?? '');
    this.#record = new PodRecord(pod, node.clock.now(), () => this.#schedule());
    this.#volumes = new PodVolumes(node, this.#directory);
    const { record, volumes, directory } = { record: this.#record, volumes: this.#volumes, directory: this.#directory };
    this.#runner = new ContainerRunner({ node, puller, record, volumes, directory });
    this.#writer = new StatusWriter(node, () => ({ pod: this.#record.pod, status: this.#status() }));
    this.update(pod);
  }

  get pod(): Pod {
    return this.#record.pod;
  }

  /** The facts about the pod's containers, for logs, exec and faults. */
  get record(): PodRecord {
    return this.#record;
  }

  get volumes(): PodVolumes {
    return this.#volumes;
  }

  get runner(): ContainerRunner {
    return this.#runner;
  }

  /** Called when the object has changed. */
  update(pod: Pod): void {
    this.#record.pod = pod;
    if (pod.metadata?.deletionTimestamp) this.#endDeleted(pod);
    this.#refreshVolumes();
  }

  /** Called when the object was deleted: stops the remaining containers. */
  vanish(pod: Pod): void {
    this.#gone = true;
    this.#endDeleted(pod);
  }

  /** Terminates the pod for a reason of the node. The object stays, with phase Failed. */
  end(ending: Omit<PodEnding, 'since'>): void {
    if (!this.#record.facts.ending) this.#setEnding({ ...ending, since: this.#node.clock.now() });
  }

  /** Called when a container has exited. Returns false if the container belongs to another pod. */
  exited(exit: ContainerExit): boolean {
    return this.#runner.exited(exit);
  }

  /** Called when an object of a volume has changed, or when the node can reach the API server again. */
  poke(): void {
    this.#refreshVolumes();
    this.#schedule();
  }

  /** Called when the node is frozen: nothing is planned until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#timer?.cancel();
    this.#runner.companions.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#runner.companions.resume();
    this.#schedule();
  }

  /** Called when the node loses its power: all processes and all data in memory are gone. */
  async powerOff(): Promise<void> {
    this.pause();
    this.#runner.companions.close();
    const { setup } = this.#record.facts;
    this.#record.facts = afterReboot(this.pod, this.#record.facts, this.#node.clock.now());
    if (setup.state === 'ready') await releaseNetwork(this.#node, setup.sandbox, setup.addresses);
  }

  /** Called when the node has returned: its kubelet restarts the pod with a new network. */
  async powerOn(options: { readonly keepEmptyDirs: boolean }): Promise<void> {
    if (!options.keepEmptyDirs) await this.#volumes.tearDown();
    this.#node.events.event(
      this.pod,
      'Normal',
      'SandboxChanged',
      'Pod sandbox changed, it will be killed and re-created.',
    );
    this.resume();
  }

  /** Drops the worker without terminating anything, because its node is gone. */
  abandon(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#writer.close();
    this.#runner.companions.close();
  }

  #endDeleted(pod: Pod): void {
    const seconds = Math.max(1, pod.metadata?.deletionGracePeriodSeconds ?? graceSeconds(pod));
    const { ending } = this.#record.facts;
    if (ending?.cause === 'deleted' && ending.graceSeconds <= seconds) return;
    const since = ending?.since ?? this.#node.clock.now();
    this.#setEnding({ ...ending, cause: 'deleted', since, graceSeconds: seconds });
    this.#runner.companions.shortenStops(seconds);
  }

  #setEnding(ending: PodEnding): void {
    this.#record.facts = { ...this.#record.facts, ending };
  }

  #status(): PodStatus {
    const { pod, facts } = this.#record;
    const { clock, backOff, hostIps } = this.#node;
    return podStatus({ pod, facts, now: clock.now(), backOff, hostIps });
  }

  /** Several changes in one turn of the event loop cause one plan. */
  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (!this.#closed && !this.#paused) this.#sync();
    });
  }

  #sync(): void {
    const { pod, facts } = this.#record;
    const now = this.#node.clock.now();
    const plan = planPod(pod, facts, now, this.#node.backOff);
    for (const action of plan.actions) this.#begin(action);
    this.#timer?.cancel();
    if (plan.wakeAt !== undefined) {
      this.#timer = this.#node.clock.schedule(Math.max(1, plan.wakeAt - now), () => this.#schedule());
    }
    this.#writer.poke();
  }

  #begin(action: PodAction): void {
    switch (action.type) {
      case 'setUp':
        this.#watch(this.#setUp());
        return;
      case 'start':
        this.#runner.start(action.container);
        return;
      case 'stop':
        this.#runner.stop(action);
        return;
      case 'expire':
        this.end({
          cause: 'deadline',
          graceSeconds: graceSeconds(this.pod),
          reason: 'DeadlineExceeded',
          message: 'Pod was active on the node longer than the specified deadline',
        });
        return;
      case 'release':
        this.#watch(this.#release());
    }
  }

  async #setUp(): Promise<void> {
    const attempts = this.#record.facts.setup.state === 'failed' ? this.#record.facts.setup.attempts + 1 : 1;
    this.#record.facts = { ...this.#record.facts, setup: { state: 'busy' } };
    const ready = await setUpPod(this.#node, this.pod, this.#directory, this.#volumes);
    if (ready) this.#runner.podFiles = ready.podFiles;
    const retryAt = this.#node.clock.now() + setupDelay(attempts, this.#node.timeFactor);
    const setup = ready
      ? ({ state: 'ready', sandbox: ready.sandbox, addresses: ready.addresses } as const)
      : ({ state: 'failed', attempts, retryAt } as const);
    this.#record.facts = { ...this.#record.facts, setup };
  }

  /** Refreshes the volumes, one refresh at a time. A change during a refresh causes another refresh. */
  #refreshVolumes(): void {
    this.#stale = true;
    if (this.#refreshing) return;
    this.#refreshing = true;
    this.#watch(
      this.#refresh().finally(() => {
        this.#refreshing = false;
      }),
    );
  }

  async #refresh(): Promise<void> {
    while (this.#stale && !this.#closed) {
      this.#stale = false;
      const { setup } = this.#record.facts;
      if (setup.state !== 'ready') return;
      const { nodeName, hostIps } = this.#node;
      await this.#volumes.refresh(this.pod, { nodeName, hostIps, podIps: setup.addresses });
    }
  }

  /** A failure of unawaited work must be logged and must not end the process. */
  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => {
      const { namespace, name } = this.pod.metadata ?? {};
      this.#node.log.error('kubelet could not finish', { object: `Pod ${namespace}/${name}`, error });
    });
  }

  /**
   * Releases the network, because all containers have ended. If the pod is being deleted, also removes its files and
   * its object.
   */
  async #release(): Promise<void> {
    const isDeleted = this.#record.facts.ending?.cause === 'deleted';
    if (this.#releasing || (this.#released && !isDeleted)) return;
    this.#releasing = true;
    this.#released = true;
    this.#runner.companions.close();
    const { setup } = this.#record.facts;
    if (setup.state === 'ready') {
      await releaseNetwork(this.#node, setup.sandbox, setup.addresses);
      this.#record.facts = { ...this.#record.facts, setup: { state: 'none' } };
    }
    if (isDeleted) await this.#remove();
    this.#releasing = false;
    this.#schedule();
  }

  async #remove(): Promise<void> {
    // Not awaited: files that a container made unreadable cannot be removed here. They are removed with the lab's
    // folder.
    this.#watch(this.#removeFiles());
    while (!this.#gone && !this.#closed) {
      await this.#writer.flush();
      if (this.#node.isConnected() && (await this.#deleteObject())) break;
      await this.#node.clock.sleep(1000 / this.#node.timeFactor);
    }
    this.#watch(rm(logDirectory(this.#node.directory, this.pod), { recursive: true, force: true }));
    this.#close();
  }

  async #removeFiles(): Promise<void> {
    await this.#volumes.tearDown();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Deletes the object with this UID. True if no such object is left. */
  async #deleteObject(): Promise<boolean> {
    const { uid } = this.pod.metadata ?? {};
    try {
      const preconditions = uid ? { uid } : {};
      await this.#node.client.resource(pods).delete(keyOf(this.pod), { gracePeriodSeconds: 0, preconditions });
      return true;
    } catch (error) {
      return isKubeError(error, 'NotFound', 'Conflict');
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.abandon();
    this.#onClosed();
  }
}
