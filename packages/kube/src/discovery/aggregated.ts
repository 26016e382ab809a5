// SPDX-License-Identifier: Apache-2.0
import type { ApiCatalogue, ApiResource } from './api-resource.ts';

/** The media type of aggregated discovery. */
export const aggregatedMediaType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** `APIGroupDiscoveryList`, as far as it is used. */
export interface GroupDiscoveryList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version?: string;
      readonly freshness?: string;
      readonly resources?: readonly ResourceDiscovery[];
    }[];
  }[];
}

interface ResourceDiscovery {
  readonly resource?: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource?: string }[];
}

/** The catalogue from one aggregated answer. Versions have the server's order of preference. */
export function fromAggregated(list: GroupDiscoveryList): ApiCatalogue {
  const resources: ApiResource[] = [];
  const unavailable: string[] = [];
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? '';
    for (const [index, { version = '', freshness, resources: found = [] }] of versions.entries()) {
      if (freshness === 'Stale') unavailable.push(group ? `${group}/${version}` : version);
      for (const item of found) resources.push(...toResource(item, group, version, index === 0));
    }
  }
  return { resources, unavailable };
}

function toResource(item: ResourceDiscovery, group: string, version: string, preferred: boolean): ApiResource[] {
  const kind = item.responseKind?.kind;
  // An entry without a kind exists only because it has subresources.
  if (!item.resource || !kind) return [];
  return [
    {
      group,
      version,
      kind,
      plural: item.resource,
      namespaced: item.scope === 'Namespaced',
      singular: item.singularResource || kind.toLowerCase(),
      shortNames: item.shortNames ?? [],
      categories: item.categories ?? [],
      verbs: item.verbs ?? [],
      subresources: (item.subresources ?? []).flatMap(({ subresource }) => subresource ?? []),
      preferred,
    },
  ];
}
