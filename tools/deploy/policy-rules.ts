// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '@operator-parts/crd';
import { type Place, type ProgramName, type Right, rights, type Verb, verbs } from './rights.ts';

/** A rule of a Role, as Kubernetes writes it. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The rights of these programs in these places. Rights that differ only in their resource share a rule. */
export function policyRules(names: readonly ProgramName[], places: readonly Place[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const { group, resource, resourceNames, allowed } of grants(names, places)) {
    const key = JSON.stringify([group, resourceNames, allowed]);
    const resources = [...(rules.get(key)?.resources ?? []), resource];
    rules.set(key, { apiGroups: [group], resources, ...(resourceNames && { resourceNames }), verbs: allowed });
  }
  return [...rules.values()];
}

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly resourceNames: readonly string[] | undefined;
  readonly allowed: readonly Verb[];
}

/** One for each resource, with the verbs of all programs. */
function grants(names: readonly ProgramName[], places: readonly Place[]): readonly Grant[] {
  const found = new Map<string, Grant>();
  const isWanted = (right: Right) =>
    places.includes(right.place) && right.programs.some((program) => names.includes(program));
  for (const right of rights.filter(isWanted)) {
    const { group, resource, names: resourceNames } = right;
    const key = JSON.stringify([group, resource, resourceNames]);
    const before: readonly Verb[] = found.get(key)?.allowed ?? [];
    const allowed = verbs.filter((verb) => before.includes(verb) || right.verbs.includes(verb));
    found.set(key, { group, resource, resourceNames, allowed });
  }
  return [...found.values()];
}

/** The rights on our kinds for users who may view, or edit, the ordinary objects of a namespace. */
export function peopleRules(kinds: readonly Kind[], may: 'view' | 'edit'): readonly PolicyRule[] {
  const group = kinds[0]?.resource.group ?? '';
  const allowed =
    may === 'view' ? ['get', 'list', 'watch'] : ['create', 'update', 'patch', 'delete', 'deletecollection'];
  const plurals = kinds.map(({ resource }) => resource.plural);
  const scales = may === 'edit' ? ['etcdclusters/scale'] : [];
  return [
    { apiGroups: [group], resources: plurals, verbs: allowed },
    ...(scales.length > 0 ? [{ apiGroups: [group], resources: scales, verbs: ['get', 'update', 'patch'] }] : []),
  ];
}
