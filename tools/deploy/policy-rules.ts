// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '@etcd-operator/crd';
import { type Place, type ProgramName, type Right, rights } from './rights.ts';

/** A rule of a Role, as Kubernetes writes it. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What these programs may do in these places. Rights that differ in their resource alone share a rule. */
export function policyRules(programs: readonly ProgramName[], places: readonly Place[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  const isWanted = (right: Right) =>
    places.includes(right.place) && right.programs.some((program) => programs.includes(program));
  for (const { group, resource, names, verbs } of rights.filter(isWanted)) {
    const key = JSON.stringify([group, names, verbs]);
    const resources = [...(rules.get(key)?.resources ?? []), resource];
    rules.set(key, { apiGroups: [group], resources, ...(names && { resourceNames: names }), verbs });
  }
  return [...rules.values()];
}

/** What people may do with our kinds who may look at, or change, the ordinary objects of a namespace. */
export function peopleRules(kinds: readonly Kind[], may: 'view' | 'edit'): readonly PolicyRule[] {
  const group = kinds[0]?.resource.group ?? '';
  const verbs = may === 'view' ? ['get', 'list', 'watch'] : ['create', 'update', 'patch', 'delete', 'deletecollection'];
  const plurals = kinds.map(({ resource }) => resource.plural);
  const scales = may === 'edit' ? ['etcdclusters/scale'] : [];
  return [
    { apiGroups: [group], resources: plurals, verbs },
    ...(scales.length > 0 ? [{ apiGroups: [group], resources: scales, verbs: ['get', 'update', 'patch'] }] : []),
  ];
}
