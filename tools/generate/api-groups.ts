// SPDX-License-Identifier: Apache-2.0

/** One served version of an API group. The core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The groups for which packages/kube has types: those that an operator uses. */
export const apiGroups: readonly GroupVersion[] = [
  { group: '', version: 'v1' },
  { group: 'admissionregistration.k8s.io', version: 'v1' },
  { group: 'apiextensions.k8s.io', version: 'v1' },
  { group: 'apps', version: 'v1' },
  { group: 'authentication.k8s.io', version: 'v1' },
  { group: 'authorization.k8s.io', version: 'v1' },
  { group: 'autoscaling', version: 'v1' },
  { group: 'batch', version: 'v1' },
  { group: 'coordination.k8s.io', version: 'v1' },
  { group: 'discovery.k8s.io', version: 'v1' },
  { group: 'events.k8s.io', version: 'v1' },
  { group: 'policy', version: 'v1' },
  { group: 'rbac.authorization.k8s.io', version: 'v1' },
  { group: 'storage.k8s.io', version: 'v1' },
];

/** The groups that kube-lab serves: those, and kinds in charts and manifests, which it only stores. */
export const labGroups: readonly GroupVersion[] = [
  ...apiGroups,
  { group: 'autoscaling', version: 'v2' },
  { group: 'networking.k8s.io', version: 'v1' },
  { group: 'node.k8s.io', version: 'v1' },
  { group: 'scheduling.k8s.io', version: 'v1' },
];

/** `api/v1` or `apis/apps/v1`: its key in the OpenAPI index. */
export function documentKey({ group, version }: GroupVersion): string {
  return group ? `apis/${group}/${version}` : `api/${version}`;
}
