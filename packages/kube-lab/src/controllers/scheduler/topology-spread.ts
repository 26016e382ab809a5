// SPDX-License-Identifier: Apache-2.0
import { matchesLabelSelector, type Node, type Pod, type TopologySpreadConstraint } from '@operator-parts/kube';
import { selectsNode } from './node-selection.ts';
import { domainOf, type Filter, type Snapshot } from './snapshot.ts';

/** `whenUnsatisfiable: DoNotSchedule`: no domain may have more than `maxSkew` pods more than the emptiest. */
export const spreadEvenly: Filter = (pod, node, snapshot) => {
  for (const constraint of constraintsOf(pod, 'DoNotSchedule')) {
    const domain = domainOf(node, constraint.topologyKey);
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    const counts = countByDomain(pod, constraint, snapshot);
    const tooFew = constraint.minDomains !== undefined && counts.size < constraint.minDomains;
    const least = tooFew ? 0 : Math.min(...counts.values());
    const self = matchesLabelSelector(constraint.labelSelector, pod.metadata?.labels) ? 1 : 0;
    if ((counts.get(domain) ?? 0) + self - least > constraint.maxSkew) {
      return "node(s) didn't match pod topology spread constraints";
    }
  }
  return undefined;
};

/** The score for `whenUnsatisfiable: ScheduleAnyway`: the more matching pods are in the node's domain, the lower. */
export function spreadScore(pod: Pod, node: Node, snapshot: Snapshot): number {
  return constraintsOf(pod, 'ScheduleAnyway').reduce((sum, constraint) => {
    const domain = domainOf(node, constraint.topologyKey);
    return domain === undefined ? sum : sum - (countByDomain(pod, constraint, snapshot).get(domain) ?? 0);
  }, 0);
}

function constraintsOf(pod: Pod, when: string): readonly TopologySpreadConstraint[] {
  return (pod.spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when);
}

/** The matching pods in each domain that the pod could use. */
function countByDomain(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  snapshot: Snapshot,
): ReadonlyMap<string, number> {
  const eligible = snapshot.nodes.filter(
    (node) => constraint.nodeAffinityPolicy === 'Ignore' || selectsNode(pod, node),
  );
  const counts = new Map<string, number>();
  const domains = new Map<string, string>();
  for (const node of eligible) {
    const domain = domainOf(node, constraint.topologyKey);
    if (domain === undefined) continue;
    counts.set(domain, 0);
    domains.set(node.metadata?.name ?? '', domain);
  }
  for (const other of snapshot.placed) {
    const domain = domains.get(other.spec?.nodeName ?? '');
    if (domain === undefined || other.metadata?.namespace !== pod.metadata?.namespace) continue;
    if (other.metadata?.deletionTimestamp || !matchesLabelSelector(constraint.labelSelector, other.metadata?.labels))
      continue;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}
