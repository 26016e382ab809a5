// SPDX-License-Identifier: Apache-2.0
import type { ResourceNames } from './served-resource.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

type Row = readonly [
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: 'ns' | '-',
  short: string,
  subs: string,
];

const rows: readonly Row[] = [
  ['', 'v1', 'Namespace', 'namespaces', '-', 'ns', 'status finalize'],
  ['', 'v1', 'Pod', 'pods', 'ns', 'po', 'status'],
  ['', 'v1', 'Service', 'services', 'ns', 'svc', 'status'],
  ['', 'v1', 'Endpoints', 'endpoints', 'ns', 'ep', ''],
  ['', 'v1', 'ConfigMap', 'configmaps', 'ns', 'cm', ''],
  ['', 'v1', 'Secret', 'secrets', 'ns', '', ''],
  ['', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'ns', 'pvc', 'status'],
  ['', 'v1', 'PersistentVolume', 'persistentvolumes', '-', 'pv', 'status'],
  ['', 'v1', 'ServiceAccount', 'serviceaccounts', 'ns', 'sa', ''],
  ['', 'v1', 'Event', 'events', 'ns', 'ev', ''],
  ['', 'v1', 'Node', 'nodes', '-', 'no', 'status'],
  ['apps', 'v1', 'Deployment', 'deployments', 'ns', 'deploy', 'status'],
  ['apps', 'v1', 'ReplicaSet', 'replicasets', 'ns', 'rs', 'status'],
  ['apps', 'v1', 'StatefulSet', 'statefulsets', 'ns', 'sts', 'status'],
  ['batch', 'v1', 'Job', 'jobs', 'ns', '', 'status'],
  ['batch', 'v1', 'CronJob', 'cronjobs', 'ns', 'cj', 'status'],
  ['coordination.k8s.io', 'v1', 'Lease', 'leases', 'ns', '', ''],
  ['discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices', 'ns', '', ''],
  ['policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'ns', 'pdb', 'status'],
  ['storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', '-', 'sc', ''],
  ['rbac.authorization.k8s.io', 'v1', 'Role', 'roles', 'ns', '', ''],
  ['rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings', 'ns', '', ''],
  ['rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', '-', '', ''],
  ['rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', 'clusterrolebindings', '-', '', ''],
  ['apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions', '-', 'crd', 'status'],
];

/** The built-in kinds by their names. */
export const builtinKinds: readonly ResourceNames[] = rows.map(
  ([group, version, kind, plural, scope, short, subs]) => ({
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: short ? short.split(' ') : [],
    categories: [],
    namespaced: scope === 'ns',
    verbs: allVerbs,
    subresources: subs
      .split(' ')
      .filter(Boolean)
      .map((name) => ({ name, verbs: ['get', 'patch', 'update'], responseKind: { group, version, kind } })),
  }),
);
