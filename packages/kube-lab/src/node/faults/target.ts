// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '@operator-parts/kube';
import { type Addresses, apiServerAddress, dnsAddress, labAddress, onlyAddress } from '../../network/addresses.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';
import type { LabNode } from '../lab-node.ts';
import type { PodWorker } from '../pod/pod-worker.ts';

/** The target of a network fault: a pod, all pods of a node, or a part of the lab itself. */
export type Target =
  | { readonly pod: ObjectKey }
  | { readonly node: string }
  /** The API server as pods see it; disconnecting a node from it also disconnects its kubelet. */
  | 'api-server'
  | 'dns'
  /** The lab's own address, from which probes, cluster IPs, and connections from the host come. */
  | 'lab';

/** Finds nodes and pods of a lab by their names. */
export class Directory {
  readonly #nodes: readonly LabNode[];

  constructor(nodes: readonly LabNode[]) {
    this.#nodes = nodes;
  }

  get nodes(): readonly LabNode[] {
    return this.#nodes;
  }

  node(name: string): LabNode {
    const found = this.#nodes.find((node) => node.name === name);
    if (!found)
      throw new RuntimeError(
        'NotFound',
        `there is no node ${name}; the nodes are ${this.#nodes.map((node) => node.name).join(', ')}`,
      );
    return found;
  }

  /** The worker of the pod on any node. If two have the same name (one terminating), the newer one. */
  pod({ namespace = 'default', name }: ObjectKey): PodWorker {
    const found = this.#nodes
      .flatMap((node) => node.kubelet.workers)
      .filter(({ pod }) => pod.metadata?.name === name && pod.metadata.namespace === namespace)
      .at(-1);
    if (!found) throw new RuntimeError('NotFound', `no pod ${namespace}/${name} runs on any node`);
    return found;
  }

  /** The addresses of a target, as ranges. */
  ranges(target: Target): readonly string[] {
    if (target === 'api-server') return Object.values(apiServerAddress).map(onlyAddress);
    if (target === 'dns') return Object.values(dnsAddress).map(onlyAddress);
    if (target === 'lab') return Object.values(labAddress).map(onlyAddress);
    if ('pod' in target) return this.addresses(this.pod(target.pod)).map(onlyAddress);
    const { description } = this.node(target.node);
    return [...description.podRanges, ...description.addresses.map(onlyAddress)];
  }

  /** The addresses of a pod. Throws if the pod has none at the moment. */
  addresses(worker: PodWorker): Addresses {
    const { setup } = worker.record.facts;
    if (setup.state === 'ready') return setup.addresses;
    throw new RuntimeError('NotFound', `pod ${worker.pod.metadata?.name} has no network at the moment`);
  }

  /** The sandboxes of a target. */
  sandboxes(target: { readonly pod: ObjectKey } | { readonly node: string }): readonly string[] {
    const workers = 'pod' in target ? [this.pod(target.pod)] : this.node(target.node).kubelet.workers;
    return workers.flatMap(({ record }) => (record.facts.setup.state === 'ready' ? [record.facts.setup.sandbox] : []));
  }
}
