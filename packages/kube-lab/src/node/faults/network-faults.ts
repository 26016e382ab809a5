// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '@etcd-operator/kube';
import type { DnsBehaviour } from '../../dns/server.ts';
import { defaultDnsBehaviour } from '../../dns/server.ts';
import type { Cut, Slowness } from '../../runtime/agent-calls.ts';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import { createFault, type Fault } from './fault.ts';
import type { Directory, Target } from './target.ts';

/** Faults of the network between pods, nodes and the parts of the lab. They add up, and each is healed by itself. */
export class NetworkFaults {
  readonly #agent: AgentProcess;
  readonly #directory: Directory;
  readonly #cuts = new Map<number, readonly Cut[]>();
  readonly #silenced = new Map<string, number>();
  #last = 0;

  constructor(agent: AgentProcess, directory: Directory) {
    this.#agent = agent;
    this.#directory = directory;
  }

  /**
   * Packets from one side to the other vanish, silently; with `oneWay`, those of the other direction still arrive. The
   * addresses are those of the moment: a pod that is recreated is not cut off. With `port`, only what is sent to that port over TCP
   * vanishes.
   */
  async cut(
    from: Target,
    to: Target,
    options: { readonly oneWay?: boolean; readonly port?: number } = {},
  ): Promise<Fault> {
    const at = (cut: Cut): Cut => (options.port === undefined ? cut : { ...cut, port: options.port });
    const there = this.#cutsBetween(from, to).map(at);
    const back = options.oneWay ? [] : this.#cutsBetween(to, from).map(at);
    return this.#apply([...there, ...back], this.#silencedNodes(from, to));
  }

  /** Splits targets into groups that cannot reach each other. Whoever is in no group reaches everyone. */
  async partition(...groups: readonly (readonly Target[])[]): Promise<Fault> {
    const cuts: Cut[] = [];
    const silenced: string[] = [];
    for (const [index, group] of groups.entries()) {
      const others = groups.filter((_, other) => other !== index).flat();
      for (const from of group) {
        for (const to of others) {
          cuts.push(...this.#cutsBetween(from, to));
          silenced.push(...this.#silencedNodes(from, to));
        }
      }
    }
    return this.#apply(cuts, silenced);
  }

  /** Cuts a pod or a node off from all other pods, but not from the lab itself: probes still work. */
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

  /** Slows what a pod, or every present pod of a node, receives. */
  async slow(target: { readonly pod: ObjectKey } | { readonly node: string }, slowness: Slowness): Promise<Fault> {
    const sandboxes = this.#directory.sandboxes(target);
    for (const sandbox of sandboxes) await this.#agent.call('slow', { sandbox, slowness });
    return createFault(async () => {
      for (const sandbox of sandboxes) await this.#agent.call('slow', { sandbox, slowness: {} }).catch(() => undefined);
    });
  }

  /** Changes how the lab's DNS behaves: a negative cache, silence, failures. */
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

  /** A node that cannot reach the API server, or cannot be answered by it, has a silent kubelet. */
  #silencedNodes(one: Target, other: Target): readonly string[] {
    const pair = [one, other];
    if (!pair.includes('api-server')) return [];
    return pair.flatMap((each) => (typeof each === 'object' && 'node' in each ? [each.node] : []));
  }

  async #apply(cuts: readonly Cut[], silenced: readonly string[]): Promise<Fault> {
    const id = ++this.#last;
    const names = [...new Set(silenced)];
    this.#cuts.set(id, cuts);
    await this.#send();
    for (const name of names) this.#silence(name, 1);
    return createFault(async () => {
      this.#cuts.delete(id);
      await this.#send();
      for (const name of names) this.#silence(name, -1);
    });
  }

  async #send(): Promise<void> {
    await this.#agent.call('setCuts', { cuts: [...this.#cuts.values()].flat() });
  }

  /** Two faults may silence one kubelet; it speaks again when both are healed. */
  #silence(name: string, change: 1 | -1): void {
    const count = (this.#silenced.get(name) ?? 0) + change;
    this.#silenced.set(name, count);
    const node = this.#directory.node(name);
    if (count > 0) node.disconnect();
    else node.reconnect();
  }
}
