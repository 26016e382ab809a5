// SPDX-License-Identifier: Apache-2.0
import type { Namespace, Node, Pod } from '@etcd-operator/kube';

/** The cluster at one moment, as the scheduler looks at it. */
export interface Snapshot {
  readonly nodes: readonly Node[];
  /** Pods that are bound to a node and have not ended. */
  readonly placed: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

/** Says why a pod may not go to a node, in the scheduler's words; undefined if it may. */
export type Filter = (pod: Pod, node: Node, snapshot: Snapshot) => string | undefined;

/** The pods on a node. */
export function podsOn(snapshot: Snapshot, node: Node): readonly Pod[] {
  return snapshot.placed.filter((pod) => pod.spec?.nodeName === node.metadata?.name);
}

/** The value of a label of a node: which domain of a topology it belongs to. */
export function domainOf(node: Node | undefined, topologyKey: string): string | undefined {
  return node?.metadata?.labels?.[topologyKey];
}
