// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, type Lease, leases, type Node, nodes } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';
import { type NodeDescription, nodeObject, nodeStatus } from './node-object.ts';
import { microTimestamp } from './timestamp.ts';

const leaseSeconds = 40;
const leasePeriod = 10_000;
/** The status is written this often even if nothing changed. */
const statusPeriod = 300_000;
const retryPeriod = 200;

/** Registers a node and sends its heartbeats: its Lease every 10 s, its status every 5 min. */
export class Heartbeat {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;
  #node: NodeDescription;
  readonly #isConnected: () => boolean;
  readonly #timeFactor: number;
  readonly #ended = new AbortController();
  readonly #registered = Promise.withResolvers<void>();
  #pulse = new AbortController();
  #statusAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly client: Client;
    readonly clock: Clock;
    readonly log: Logger;
    readonly node: NodeDescription;
    readonly timeFactor: number;
    readonly isConnected: () => boolean;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#node = options.node;
    this.#timeFactor = options.timeFactor;
    this.#isConnected = options.isConnected;
  }

  /** Resolves after the first heartbeat: the node is registered and ready. */
  get registered(): Promise<void> {
    return this.#registered.promise;
  }

  /** Registers the node and sends heartbeats until it is stopped. */
  async run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const ok = !this.#isConnected() || (await this.#beat());
      if (ok) this.#registered.resolve();
      await this.#rest((ok ? leasePeriod : retryPeriod) / this.#timeFactor);
    }
  }

  /** Sends a heartbeat with a full status at once. For a node that has just returned. */
  beatNow(): void {
    this.#statusAt = Number.NEGATIVE_INFINITY;
    this.#pulse.abort();
  }

  /** Reports a new boot ID at once, which shows that the node has restarted. */
  reboot(bootId: string): void {
    this.#node = { ...this.#node, bootId };
    this.beatNow();
  }

  stop(): void {
    this.#ended.abort();
  }

  async #rest(milliseconds: number): Promise<void> {
    this.#pulse = new AbortController();
    const signal = AbortSignal.any([this.#ended.signal, this.#pulse.signal]);
    await this.#clock.sleep(milliseconds, signal).catch(() => undefined);
  }

  async #beat(): Promise<boolean> {
    try {
      if (this.#clock.monotonic() - this.#statusAt >= statusPeriod / this.#timeFactor) {
        await this.#writeStatus();
        this.#statusAt = this.#clock.monotonic();
      }
      await this.#renewLease();
      return true;
    } catch (error) {
      this.#log.debug('heartbeat failed', { object: `Node ${this.#node.name}`, error });
      return false;
    }
  }

  async #writeStatus(): Promise<void> {
    const known = await this.#get();
    const status = nodeStatus(this.#node, this.#clock.now(), known.status);
    // A patch, because other components write taints, addresses and labels of the node at the same time.
    await this.#client.resource(nodes).status.patch({ name: this.#node.name }, { type: 'merge', patch: { status } });
  }

  async #get(): Promise<Node> {
    const client = this.#client.resource(nodes);
    try {
      return await client.get({ name: this.#node.name });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      return client.create(nodeObject(this.#node));
    }
  }

  async #renewLease(): Promise<void> {
    const client = this.#client.resource(leases);
    const key = { namespace: 'kube-node-lease', name: this.#node.name };
    const renewTime = microTimestamp(this.#clock.now());
    const spec = { holderIdentity: this.#node.name, leaseDurationSeconds: leaseSeconds, renewTime };
    try {
      await client.patch(key, { type: 'merge', patch: { spec } });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key, spec };
      await client.create(lease);
    }
  }
}
