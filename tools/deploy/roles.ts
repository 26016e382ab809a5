// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '@operator-parts/crd';
import { labels, type Manifest, name } from './operator-objects.ts';
import { type PolicyRule, peopleRules, policyRules } from './policy-rules.ts';
import { type Place, programs } from './rights.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const account = { kind: 'ServiceAccount', name } as const;

/** The rights in the operator's own namespace, and their binding. */
export function namespacedRole(places: readonly Place[]): readonly Manifest[] {
  return [
    { apiVersion, kind: 'Role', metadata: { name, labels }, rules: policyRules(programs, places) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [account],
    },
  ];
}

/** Not the name in create_role.sh: otherwise each installation would overwrite the other's role. */
const everywhere = `${name}-cluster-wide`;

/** The rights in all namespaces, and their binding. @param namespace of the operator */
export function clusterRole(places: readonly Place[], namespace: string): readonly Manifest[] {
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name: everywhere, labels }, rules: policyRules(programs, places) },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: everywhere, labels },
      roleRef: { apiGroup, kind: 'ClusterRole', name: everywhere },
      subjects: [{ ...account, namespace }],
    },
  ];
}

/**
 * Users who may view or edit a namespace may do the same with our kinds: these roles are aggregated to the built-in
 * ones (admin includes edit).
 */
export function peopleRoles(kinds: readonly Kind[]): readonly Manifest[] {
  return (['view', 'edit'] as const).map((may) => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${name}-${may}`,
      labels: { ...labels, [`rbac.authorization.k8s.io/aggregate-to-${may}`]: 'true' },
    },
    rules: peopleRules(kinds, may),
  }));
}

/** The roles of example/rbac, with placeholders that create_role.sh fills in. */
export function exampleRole(kind: 'Role' | 'ClusterRole'): Manifest {
  const places: readonly Place[] =
    kind === 'Role'
      ? ['watched', 'secrets', 'own']
      : ['watched', 'secrets', 'own', 'cluster', 'everywhere', 'definitions'];
  const rules: readonly PolicyRule[] = policyRules(programs, places);
  return {
    apiVersion,
    kind,
    metadata: { name: '<ROLE_NAME>', ...(kind === 'Role' && { namespace: '<NAMESPACE>' }) },
    rules,
  };
}
