// SPDX-License-Identifier: Apache-2.0

/** What is read of a ClusterServiceVersion. */
export interface ClusterServiceVersion {
  readonly spec: {
    readonly install: {
      readonly spec: {
        readonly permissions: readonly Permission[];
        readonly clusterPermissions: readonly Permission[];
        readonly deployments: readonly { readonly name: string; readonly spec: object }[];
      };
    };
  };
}

interface Permission {
  readonly serviceAccountName: string;
  readonly rules: readonly object[];
}

/**
 * The objects that the Operator Lifecycle Manager makes of a ClusterServiceVersion that is installed into a namespace: accounts, their
 * rights there and everywhere, and Deployments.
 */
export function installedBundle({ spec }: ClusterServiceVersion, namespace: string): readonly object[] {
  const { permissions, clusterPermissions, deployments } = spec.install.spec;
  const accounts = new Set([...permissions, ...clusterPermissions].map((one) => one.serviceAccountName));
  return [
    ...[...accounts].map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })),
    ...permissions.flatMap((one) => granted(one, 'Role', namespace)),
    ...clusterPermissions.flatMap((one) => granted(one, 'ClusterRole', namespace)),
    ...deployments.map(({ name, spec: deployment }) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: deployment,
    })),
  ];
}

function granted({ serviceAccountName, rules }: Permission, kind: 'Role' | 'ClusterRole', namespace: string) {
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const metadata = { name: `olm-${serviceAccountName}`, ...(kind === 'Role' && { namespace }) };
  const subjects = [{ kind: 'ServiceAccount', name: serviceAccountName, namespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef: { apiGroup, kind, name: metadata.name }, subjects },
  ];
}
