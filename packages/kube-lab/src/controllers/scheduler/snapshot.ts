// SPDX-License-Identifier: Apache-2.0
import type { Namespace, Node, Pod } from '@operator-parts/kube';

/** The state of the cluster that the scheduler sees. */
export interface Snapshot {
  readonly nodes: readonly Node[];
  /** Pods that are bound to a node and have not ended. */
  readonly placed: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

/** Why a pod may not run on a node, with the scheduler's message; undefined if it may. */
export type Filter = (pod: Pod, node: Node, snapshot: Snapshot) => string | undefined;

/** The pods on a node. */
export function podsOn(snapshot: Snapshot, node: Node): readonly Pod[] {
  return snapshot.placed.filter((pod) => pod.spec?.nodeName === node.metadata?.name);
}

/** The value of a node label: its topology domain. */
export function domainOf(node: Node | undefined, topologyKey: string): string | undefined {
  return node?.metadata?.labels?.[topologyKey];
}
