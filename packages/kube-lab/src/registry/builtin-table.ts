// SPDX-License-Identifier: Apache-2.0
import { capturedDiscovery, type DiscoveredResource } from './captured-api.ts';
import type { ResourceNames } from './served-resource.ts';

/** The built-in kinds, with the names and verbs of a real server. */
export function builtinKinds(): readonly ResourceNames[] {
  const { api, apis } = capturedDiscovery();
  return [...api.items, ...apis.items].flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((resource) => namesOf(metadata.name ?? '', version, resource)),
    ),
  );
}

function namesOf(group: string, version: string, resource: DiscoveredResource): ResourceNames {
  const { kind } = resource.responseKind;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: resource.resource,
    singular: resource.singularResource,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    namespaced: resource.scope === 'Namespaced',
    verbs: resource.verbs,
    subresources: (resource.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      verbs,
      responseKind: responseKind.version === '' ? { group, version, kind: responseKind.kind } : responseKind,
    })),
  };
}
