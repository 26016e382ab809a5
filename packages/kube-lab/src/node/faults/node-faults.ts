// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, keyOf, nodes, type Pod, pods } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import { createFault, type Fault } from './fault.ts';
import type { Directory } from './target.ts';

const evictionRetry = 100;

/** Faults of a whole node. */
export class NodeFaults {
  readonly #agent: AgentProcess;
  readonly #directory: Directory;
  readonly #client: Client;
  readonly #clock: Clock;

  constructor(agent: AgentProcess, directory: Directory, client: Client, clock: Clock) {
    this.#agent = agent;
    this.#directory = directory;
    this.#client = client;
    this.#clock = clock;
  }

  /** Cordons the node; healing uncordons it. */
  async cordon(name: string): Promise<Fault> {
    await this.#setUnschedulable(name, true);
    return createFault(() => this.#setUnschedulable(name, false));
  }

  /** Cordons the node and evicts its pods, respecting disruption budgets, until none is left or `signal` is aborted. */
  async drain(name: string, signal?: AbortSignal): Promise<Fault> {
    const fault = await this.cordon(name);
    for (let left = await this.#podsOn(name); left.length > 0; left = await this.#podsOn(name)) {
      for (const pod of left) await this.#evict(pod);
      await this.#clock.sleep(evictionRetry, signal);
    }
    return fault;
  }

  /** Disconnects the kubelet from the API server. Its pods keep running and can still reach the API server. */
  disconnectKubelet(name: string): Fault {
    const node = this.#directory.node(name);
    node.disconnect();
    return createFault(async () => node.reconnect());
  }

  /** Freezes the whole machine: the kubelet and every process. */
  async freeze(name: string): Promise<Fault> {
    const node = this.#directory.node(name);
    node.freeze();
    const sandboxes = this.#directory.sandboxes({ node: name });
    for (const sandbox of sandboxes) await this.#agent.call('freeze', { sandbox, frozen: true });
    return createFault(async () => {
      for (const sandbox of sandboxes) await this.#agent.call('freeze', { sandbox, frozen: false });
      node.thaw();
    });
  }

  /** Switches the node off and on. @param options `keepEmptyDirs` @default true; `offMilliseconds` @default 0 */
  async reboot(
    name: string,
    options?: { readonly keepEmptyDirs?: boolean; readonly offMilliseconds?: number },
  ): Promise<void> {
    await this.#directory.node(name).reboot(options);
  }

  /** Switches the node off for ever. Its Node object stays until it is deleted. */
  async lose(name: string): Promise<void> {
    await this.#directory.node(name).lose();
  }

  async #setUnschedulable(name: string, unschedulable: boolean): Promise<void> {
    const patch = { spec: { unschedulable: unschedulable ? true : null } };
    await this.#client.resource(nodes).patch({ name }, { type: 'merge', patch });
  }

  async #podsOn(name: string): Promise<readonly Pod[]> {
    const { items } = await this.#client.resource(pods).list({ fieldSelector: `spec.nodeName=${name}` });
    return items;
  }

  /** While a disruption budget allows no disruption, the server answers 429. `drain` then tries again. */
  async #evict(pod: Pod): Promise<void> {
    if (pod.metadata?.deletionTimestamp) return;
    const { name, namespace } = pod.metadata ?? {};
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    try {
      await this.#client.resource(pods).subresource('eviction').create(keyOf(pod), eviction);
    } catch (error) {
      if (!isKubeError(error, 'TooManyRequests', 'NotFound')) throw error;
    }
  }
}
