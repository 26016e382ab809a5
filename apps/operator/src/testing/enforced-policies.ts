// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { type Endpoint, mayConnect, type NetworkPolicy } from '@etcd-operator/tools/deploy/testing';
import { namespaces, type Pod, pods } from '@operator-parts/kube';
import type { Fault, Lab } from '@operator-parts/kube-lab';

/**
 * Enforces network policies between the pods of a lab, for some TCP ports: forbidden connections are cut. For new pods this happens a
 * moment after they get an address. Addresses that are not pods (the lab's own address, DNS) stay open.
 */
export class EnforcedPolicies implements AsyncDisposable {
  readonly #lab: Lab;
  readonly #policies: readonly NetworkPolicy[];
  readonly #ports: readonly number[];
  readonly #cuts = new Map<string, Fault>();
  readonly #stop = new AbortController();
  #turn: Promise<void> = Promise.resolve();
  readonly #work: Promise<void>;

  private constructor(lab: Lab, policies: readonly NetworkPolicy[], ports: readonly number[]) {
    this.#lab = lab;
    this.#policies = policies;
    this.#ports = ports;
    this.#work = this.#run();
    // The error is thrown when this object is disposed of.
    this.#work.catch(() => undefined);
  }

  /** Resolves once the policies are enforced for the existing pods. */
  static async start(
    lab: Lab,
    policies: readonly NetworkPolicy[],
    ports: readonly number[],
  ): Promise<EnforcedPolicies> {
    const enforced = new EnforcedPolicies(lab, policies, ports);
    await enforced.settle();
    return enforced;
  }

  /** Cuts and heals connections so that they fit the present pods. Only one such run is in progress at a time. */
  settle(): Promise<void> {
    const turn = this.#turn.then(() => this.#cutAndHeal());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #cutAndHeal(): Promise<void> {
    const wanted = await this.#wanted();
    for (const [key, fault] of [...this.#cuts]) {
      if (wanted.has(key)) continue;
      this.#cuts.delete(key);
      await fault.heal();
    }
    for (const [key, { from, to, port }] of wanted) {
      if (this.#cuts.has(key)) continue;
      // The pod may be gone meanwhile; then there is nothing to cut.
      const fault = await this.#lab.faults.network.cut(from, to, { oneWay: true, port }).catch(() => undefined);
      if (fault) this.#cuts.set(key, fault);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    for (const fault of this.#cuts.values()) await fault.heal();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await sleep(50);
      await this.settle();
    }
  }

  async #wanted() {
    const client = this.#lab.client();
    const places = (await client.resource(namespaces).list()).items;
    const labels = new Map(places.map(({ metadata }) => [metadata?.name ?? '', metadata?.labels ?? {}]));
    const running = (await client.resource(pods).list()).items.filter(({ status }) => status?.podIP);
    const endpoint = (pod: Pod) => endpointOf(pod, labels);
    const pairs = running.flatMap((from) =>
      running
        .filter((other) => other !== from)
        .map((to) => ({ from, to, ends: [endpoint(from), endpoint(to)] as const })),
    );
    const closed = pairs.flatMap(({ from, to, ends }) =>
      this.#ports
        .filter((port) => !mayConnect(this.#policies, ...ends, String(port)))
        .map((port) => ({
          key: [ends[0].ip, ends[1].ip, port].join(' '),
          from: targetOf(from),
          to: targetOf(to),
          port,
        })),
    );
    return new Map(closed.map((cut) => [cut.key, cut]));
  }
}

interface Target {
  readonly pod: { readonly namespace: string; readonly name: string };
}

function targetOf({ metadata }: Pod): Target {
  return { pod: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' } };
}

function endpointOf(
  { metadata, status }: Pod,
  places: ReadonlyMap<string, Readonly<Record<string, string>>>,
): Endpoint {
  const namespace = metadata?.namespace ?? '';
  const namespaceLabels = places.get(namespace) ?? {};
  return { ip: status?.podIP ?? '', pod: { namespace, labels: metadata?.labels ?? {}, namespaceLabels } };
}
