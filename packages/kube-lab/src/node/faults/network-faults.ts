// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '@operator-parts/kube';
import type { DnsBehaviour } from '../../dns/server.ts';
import { defaultDnsBehaviour } from '../../dns/server.ts';
import type { Cut, Slowness } from '../../runtime/agent-calls.ts';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import { createFault, type Fault } from './fault.ts';
import type { Directory, Target } from './target.ts';

/**
 * Faults of the network between pods, nodes and the parts of the lab. They can be combined, and each is healed
 * separately.
 */
export class NetworkFaults {
  readonly #agent: AgentProcess;
  readonly #directory: Directory;
  readonly #cuts = new Map<number, readonly Cut[]>();
  readonly #cutOff = new Map<string, number>();
  #last = 0;

  constructor(agent: AgentProcess, directory: Directory) {
    this.#agent = agent;
    this.#directory = directory;
  }

  /**
   * Drops packets between two sides. With `oneWay`, packets in the other direction still arrive. With `port`, only TCP
   * packets to that port are dropped. A pod's address is looked up once: a pod that is recreated is not affected.
   */
  async cut(
    from: Target,
    to: Target,
    options: { readonly oneWay?: boolean; readonly port?: number } = {},
  ): Promise<Fault> {
    const at = (cut: Cut): Cut => (options.port === undefined ? cut : { ...cut, port: options.port });
    const there = this.#cutsBetween(from, to).map(at);
    const back = options.oneWay ? [] : this.#cutsBetween(to, from).map(at);
    return this.#apply([...there, ...back], this.#cutOffNodes(from, to));
  }

  /** Splits targets into groups that cannot reach each other. Targets in no group reach all others. */
  async partition(...groups: readonly (readonly Target[])[]): Promise<Fault> {
    const cuts: Cut[] = [];
    const cutOff: string[] = [];
    for (const [index, group] of groups.entries()) {
      const others = groups.filter((_, other) => other !== index).flat();
      for (const from of group) {
        for (const to of others) {
          cuts.push(...this.#cutsBetween(from, to));
          cutOff.push(...this.#cutOffNodes(from, to));
        }
      }
    }
    return this.#apply(cuts, cutOff);
  }

  /** Disconnects a pod or a node from all other pods, but not from the lab itself: probes still work. */
  async isolate(target: { readonly pod: ObjectKey } | { readonly node: string }): Promise<Fault> {
    const own = this.#directory.ranges(target);
    const others = this.#directory.nodes.flatMap(({ name }) => {
      if ('node' in target && target.node === name) return [];
      return this.#directory.ranges({ node: name });
    });
    const cuts = own.flatMap((mine) =>
      others.flatMap((other) => [
        { from: mine, to: other },
        { from: other, to: mine },
      ]),
    );
    return this.#apply(cuts, []);
  }

  /** Slows the incoming traffic of a pod, or of every present pod of a node. */
  async slow(target: { readonly pod: ObjectKey } | { readonly node: string }, slowness: Slowness): Promise<Fault> {
    const sandboxes = this.#directory.sandboxes(target);
    for (const sandbox of sandboxes) await this.#agent.call('slow', { sandbox, slowness });
    return createFault(async () => {
      for (const sandbox of sandboxes) await this.#agent.call('slow', { sandbox, slowness: {} }).catch(() => undefined);
    });
  }

  /** Changes the behaviour of the lab's DNS: a negative cache, no answers, failures. */
  async dns(behaviour: Partial<DnsBehaviour>): Promise<Fault> {
    await this.#agent.call('setDns', behaviour);
    return createFault(async () => {
      await this.#agent.call('setDns', defaultDnsBehaviour);
    });
  }

  #cutsBetween(from: Target, to: Target): readonly Cut[] {
    const targets = this.#directory.ranges(to);
    return this.#directory.ranges(from).flatMap((source) => targets.map((target) => ({ from: source, to: target })));
  }

  /** The nodes whose kubelet must be disconnected, because the cut separates them from the API server. */
  #cutOffNodes(one: Target, other: Target): readonly string[] {
    const pair = [one, other];
    if (!pair.includes('api-server')) return [];
    return pair.flatMap((each) => (typeof each === 'object' && 'node' in each ? [each.node] : []));
  }

  async #apply(cuts: readonly Cut[], cutOff: readonly string[]): Promise<Fault> {
    const id = ++this.#last;
    const names = [...new Set(cutOff)];
    this.#cuts.set(id, cuts);
    await this.#send();
    for (const name of names) this.#countCut(name, 1);
    return createFault(async () => {
      this.#cuts.delete(id);
      await this.#send();
      for (const name of names) this.#countCut(name, -1);
    });
  }

  async #send(): Promise<void> {
    await this.#agent.call('setCuts', { cuts: [...this.#cuts.values()].flat() });
  }

  /** Two faults may disconnect the same kubelet. It is reconnected when both are healed. */
  #countCut(name: string, change: 1 | -1): void {
    const count = (this.#cutOff.get(name) ?? 0) + change;
    this.#cutOff.set(name, count);
    const node = this.#directory.node(name);
    if (count > 0) node.disconnect();
    else node.reconnect();
  }
}
