// SPDX-License-Identifier: Apache-2.0
import type { ApiResource } from './api-resource.ts';

/** `APIGroupList`, and `APIVersions` of the core group. */
export interface GroupList {
  readonly kind?: string;
  /** Only in `APIVersions`. */
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name?: string;
    readonly versions?: readonly { readonly version?: string }[];
    readonly preferredVersion?: { readonly version?: string };
  }[];
}

/** `APIResourceList` of one group version. */
export interface ResourceList {
  readonly resources?: readonly {
    readonly name?: string;
    readonly kind?: string;
    readonly namespaced?: boolean;
    readonly singularName?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly preferred: boolean;
}

export function coreVersions({ versions = [] }: GroupList): readonly GroupVersion[] {
  return versions.map((version, index) => ({ group: '', version, preferred: index === 0 }));
}

export function groupVersions({ groups = [] }: GroupList): readonly GroupVersion[] {
  return groups.flatMap(({ name = '', versions = [], preferredVersion }) => {
    const first = preferredVersion?.version ?? versions[0]?.version;
    return versions.map(({ version = '' }) => ({ group: name, version, preferred: version === first }));
  });
}

/** The kinds of one group version. Subresources are listed as `pods/status`. */
export function fromLegacy({ resources = [] }: ResourceList, where: GroupVersion): readonly ApiResource[] {
  const subresources = Map.groupBy(
    resources.flatMap(({ name = '' }) => (name.includes('/') ? [name] : [])),
    (name) => name.slice(0, name.indexOf('/')),
  );
  return resources.flatMap((item) => {
    const { name = '', kind } = item;
    if (!name || name.includes('/') || !kind) return [];
    const below = subresources.get(name) ?? [];
    return [
      {
        ...where,
        kind,
        plural: name,
        namespaced: item.namespaced ?? false,
        singular: item.singularName || kind.toLowerCase(),
        shortNames: item.shortNames ?? [],
        categories: item.categories ?? [],
        verbs: item.verbs ?? [],
        subresources: below.map((path) => path.slice(name.length + 1)),
      },
    ];
  });
}
