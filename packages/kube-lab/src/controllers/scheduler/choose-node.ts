// SPDX-License-Identifier: Apache-2.0
import type { Node, Pod } from '@operator-parts/kube';
import { nodeSelection, preferredNodeScore } from './node-selection.ts';
import { awayFromOthers, preferredPodScore, withOthers } from './pod-affinity.ts';
import { resourcesFit } from './resources-fit.ts';
import { type Filter, podsOn, type Snapshot } from './snapshot.ts';
import { notCordoned, tolerated } from './taints.ts';
import { spreadEvenly, spreadScore } from './topology-spread.ts';

/** The node of a pod, or why no node fits. */
export type Placement =
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'none'; readonly message: string };

const filters: readonly Filter[] = [
  notCordoned,
  nodeSelection,
  tolerated,
  resourcesFit,
  spreadEvenly,
  withOthers,
  awayFromOthers,
];

/**
 * Chooses a node for a pod: of the nodes that pass all filters, the one with the best score, then the emptiest, then by
 * name. Pure: the same cluster gives the same answer.
 * @param further filters for this pod only, such as where its volumes are accessible
 */
export function chooseNode(pod: Pod, snapshot: Snapshot, further: readonly Filter[] = []): Placement {
  const reasons = new Map<string, number>();
  const fitting: Node[] = [];
  for (const node of snapshot.nodes) {
    const reason = firstReason([...filters, ...further], pod, node, snapshot);
    if (reason === undefined) fitting.push(node);
    else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const [best] = fitting
    .map((node) => ({ node, points: score(pod, node, snapshot), load: podsOn(snapshot, node).length }))
    .toSorted(
      (left, right) =>
        right.points - left.points ||
        left.load - right.load ||
        compare(left.node.metadata?.name ?? '', right.node.metadata?.name ?? ''),
    );
  if (best) return { kind: 'node', node: best.node.metadata?.name ?? '' };
  return { kind: 'none', message: explain(snapshot.nodes.length, reasons) };
}

function firstReason(all: readonly Filter[], pod: Pod, node: Node, snapshot: Snapshot): string | undefined {
  for (const filter of all) {
    const reason = filter(pod, node, snapshot);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function score(pod: Pod, node: Node, snapshot: Snapshot): number {
  return preferredNodeScore(pod, node) + preferredPodScore(pod, node, snapshot) + spreadScore(pod, node, snapshot);
}

function explain(nodes: number, reasons: ReadonlyMap<string, number>): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${nodes} nodes are available: ${parts.join(', ')}. preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
