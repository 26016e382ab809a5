// SPDX-License-Identifier: Apache-2.0
import { matchesLabelSelector, type Node, type Pod, type PodAffinityTerm } from '@operator-parts/kube';
import { domainOf, type Filter, type Snapshot } from './snapshot.ts';

/**
 * Required pod affinity: a matching pod must be in the node's domain, unless the pod itself is the first one that
 * matches.
 */
export const withOthers: Filter = (pod, node, snapshot) => {
  const terms = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const unmet = terms.some((term) => {
    if (domainOf(node, term.topologyKey) === undefined) return true;
    if (matchesInDomain(pod, term, node, snapshot) > 0) return false;
    const isFirst =
      !snapshot.placed.some((other) => matchesPod(pod, term, other, snapshot)) && matchesPod(pod, term, pod, snapshot);
    return !isFirst;
  });
  return unmet ? "node(s) didn't match pod affinity rules" : undefined;
};

/**
 * Required anti-affinity in both directions: neither the pod's own terms nor those of existing pods may be violated.
 */
export const awayFromOthers: Filter = (pod, node, snapshot) => {
  const own = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (own.some((term) => matchesInDomain(pod, term, node, snapshot) > 0))
    return "node(s) didn't match pod anti-affinity rules";
  const disturbed = snapshot.placed.some((other) => {
    const terms = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    return terms.some((term) => matchesPod(other, term, pod, snapshot) && sharesDomain(term, other, node, snapshot));
  });
  return disturbed ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined;
};

/** The score for preferred affinity and anti-affinity. */
export function preferredPodScore(pod: Pod, node: Node, snapshot: Snapshot): number {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const points = (terms: typeof near) =>
    terms.reduce(
      (sum, { weight, podAffinityTerm }) => sum + weight * matchesInDomain(pod, podAffinityTerm, node, snapshot),
      0,
    );
  return points(near) - points(far);
}

function matchesInDomain(pod: Pod, term: PodAffinityTerm, node: Node, snapshot: Snapshot): number {
  return snapshot.placed.filter(
    (other) => matchesPod(pod, term, other, snapshot) && sharesDomain(term, other, node, snapshot),
  ).length;
}

function sharesDomain(term: PodAffinityTerm, placed: Pod, node: Node, snapshot: Snapshot): boolean {
  const home = snapshot.nodes.find((each) => each.metadata?.name === placed.spec?.nodeName);
  const domain = domainOf(home, term.topologyKey);
  return domain !== undefined && domain === domainOf(node, term.topologyKey);
}

/**
 * Whether a term of `owner` matches `other` by its labels and namespace. Without a selection in the term, that is the
 * owner's namespace.
 */
function matchesPod(owner: Pod, term: PodAffinityTerm, other: Pod, snapshot: Snapshot): boolean {
  return (
    speaksOfNamespace(owner, term, other, snapshot) &&
    matchesLabelSelector(selectorOf(owner, term), other.metadata?.labels)
  );
}

function speaksOfNamespace(owner: Pod, term: PodAffinityTerm, other: Pod, snapshot: Snapshot): boolean {
  const namespace = other.metadata?.namespace ?? '';
  if (!term.namespaces?.length && !term.namespaceSelector) return namespace === owner.metadata?.namespace;
  if (term.namespaces?.includes(namespace)) return true;
  const found = snapshot.namespaces.find((each) => each.metadata?.name === namespace);
  return term.namespaceSelector !== undefined && matchesLabelSelector(term.namespaceSelector, found?.metadata?.labels);
}

/** `matchLabelKeys` adds the owner's own values of these labels. */
function selectorOf(owner: Pod, term: PodAffinityTerm) {
  const keys = term.matchLabelKeys ?? [];
  const own = owner.metadata?.labels ?? {};
  const added = keys.flatMap((key) => (own[key] === undefined ? [] : [{ key, operator: 'In', values: [own[key]] }]));
  if (!term.labelSelector || added.length === 0) return term.labelSelector;
  return { ...term.labelSelector, matchExpressions: [...(term.labelSelector.matchExpressions ?? []), ...added] };
}
