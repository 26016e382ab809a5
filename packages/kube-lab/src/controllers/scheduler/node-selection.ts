// SPDX-License-Identifier: Apache-2.0
import {
  type LabelOperator,
  type Labels,
  matchesLabels,
  type Node,
  type NodeSelectorTerm,
  type Pod,
} from '@operator-parts/kube';
import { hasLabels } from '../label-match.ts';
import type { Filter } from './snapshot.ts';

/** `nodeSelector` and required node affinity. */
export const nodeSelection: Filter = (pod, node) =>
  selectsNode(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";

/** True if the pod's own rules allow the node. */
export function selectsNode(pod: Pod, node: Node): boolean {
  if (!hasLabels(pod.spec?.nodeSelector ?? {}, node.metadata?.labels)) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** All expressions of a term must hold; a term without expressions matches no node. */
export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const fields = { 'metadata.name': node.metadata?.name ?? '' };
  return meets(matchExpressions, labels) && meets(matchFields, fields);
}

/** Requirements on nodes have the same operators as those on labels. */
function meets(requirements: NonNullable<NodeSelectorTerm['matchExpressions']>, labels: Labels): boolean {
  const read = requirements.map(({ key, operator, values = [] }) => ({
    key,
    operator: operator as LabelOperator,
    values,
  }));
  return matchesLabels(read, labels);
}

/** The score for preferred node affinity: the sum of the weights of matching terms. */
export function preferredNodeScore(pod: Pod, node: Node): number {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
}
