// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type Client, configMaps, type KubeObject, type PersistentVolume, pods, secrets } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import { ApiEventRecorder } from '../controllers/event-recorder.ts';
import { SharedCaches } from '../controllers/shared-caches.ts';
import type { ImageTable } from '../images/image-table.ts';
import { AddressPool, type IpFamilies } from '../network/addresses.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { ObjectFeed } from '../server/object-feed.ts';
import { kubeletBackOff } from './container/back-off.ts';
import { cachedConfig } from './environment/cached-config.ts';
import { Heartbeat } from './heartbeat.ts';
import { Kubelet } from './kubelet.ts';
import type { NodeContext } from './node-context.ts';
import type { NodeDescription } from './node-object.ts';

/** The parts of a node. */
export interface LabNodeOptions {
  readonly index: number;
  readonly ipFamilies: IpFamilies;
  readonly description: NodeDescription;
  readonly directory: string;
  readonly runtime: ContainerRuntime;
  readonly images: ImageTable;
  readonly feed: ObjectFeed;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly timeFactor: number;
  readonly diskPath: (volume: PersistentVolume) => string | undefined;
}

/** One virtual node: its kubelet, its heartbeat, and its own connection to the API server, which can be interrupted. */
export class LabNode {
  readonly description: NodeDescription;
  readonly index: number;
  readonly #caches: SharedCaches;
  readonly #heartbeat: Heartbeat;
  readonly #context: NodeContext;
  readonly #leave: readonly (() => void)[];
  readonly #kubelet: Kubelet;
  #connected = true;

  constructor(options: LabNodeOptions) {
    const { description, clock, log, client, random, timeFactor } = options;
    this.description = description;
    this.index = options.index;
    this.#caches = new SharedCaches(options.feed);
    const isConnected = () => this.#connected;
    this.#context = {
      nodeName: description.name,
      hostIps: description.addresses,
      directory: join(options.directory, description.name),
      runtime: options.runtime,
      images: options.images,
      addresses: new AddressPool(options.index, options.ipFamilies),
      config: cachedConfig(this.#caches, client, clock),
      client,
      events: new ApiEventRecorder({ client, clock, random, component: 'kubelet', host: description.name }),
      clock,
      random,
      log: log.child({ node: description.name }),
      backOff: kubeletBackOff(timeFactor),
      timeFactor,
      isConnected,
      diskPath: options.diskPath,
    };
    this.#heartbeat = new Heartbeat({ client, clock, log, node: description, timeFactor, isConnected });
    this.#kubelet = new Kubelet(this.#context, this.#caches.of(pods));
    this.#leave = [secrets, configMaps].map((kind) =>
      this.#caches.of<KubeObject>(kind).subscribe(({ type }) => {
        if (type === 'MODIFIED') this.#kubelet.poke();
      }),
    );
    void this.#heartbeat.run();
  }

  get name(): string {
    return this.description.name;
  }

  /** The node's folder on the host. */
  get directory(): string {
    return this.#context.directory;
  }

  /** Resolves when the node is registered and ready. */
  get registered(): Promise<void> {
    return this.#heartbeat.registered;
  }

  get kubelet(): Kubelet {
    return this.#kubelet;
  }

  async #powerOff(): Promise<void> {
    this.disconnect();
    await this.#kubelet.powerOff();
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  /** Disconnects the kubelet from the API server; its pods keep running. */
  disconnect(): void {
    this.#connected = false;
    this.#caches.leave();
  }

  /** Reconnects the kubelet; it catches up. */
  reconnect(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#caches.join();
    this.#heartbeat.beatNow();
    this.#kubelet.poke();
  }

  /** Freezes the kubelet, as on a machine that hangs. */
  freeze(): void {
    this.disconnect();
    this.#kubelet.pause();
  }

  thaw(): void {
    this.#kubelet.resume();
    this.reconnect();
  }

  /** Switches the node off, and on again after a while. Containers restart with new networks; PVCs are kept. */
  async reboot(options: { readonly keepEmptyDirs?: boolean; readonly offMilliseconds?: number } = {}): Promise<void> {
    await this.#powerOff();
    await this.#context.clock.sleep(options.offMilliseconds ?? 0);
    await this.#kubelet.powerOn({ keepEmptyDirs: options.keepEmptyDirs ?? true });
    this.#heartbeat.reboot(this.#context.random.uuid());
    this.reconnect();
  }

  /** Switches the node off for ever. Its Node object stays until it is deleted. */
  async lose(): Promise<void> {
    await this.#powerOff();
    this.close();
  }

  close(): void {
    this.#heartbeat.stop();
    for (const leave of this.#leave) leave();
    this.#kubelet.close();
    this.#caches.leave();
  }
}
