// SPDX-License-Identifier: Apache-2.0

import type { ApiServer } from '../api-server/api-server.ts';
import { documentKey, type GroupVersion } from './api-groups.ts';
import type { GroupVersionKind, OpenApiDocument } from './open-api.ts';

/** One resource as aggregated discovery lists it. */
export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: GroupVersionKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string; readonly responseKind?: GroupVersionKind }[];
}

/** `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`. */
export interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
  }[];
}

/** A real server's description of itself, from which everything else is generated. */
export interface Capture {
  /** By the key of the OpenAPI index, such as `apis/apps/v1`. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>;
  /** Of the core group, then of the named groups; only the requested ones. */
  readonly discovery: { readonly api: Discovery; readonly apis: Discovery };
  readonly version: Readonly<Record<string, string>>;
}

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Requests from a running server everything that the generators need. */
export async function captureFrom(server: ApiServer, groups: readonly GroupVersion[]): Promise<Capture> {
  const index = JSON.parse(await read(server, '/openapi/v3')) as OpenApiIndex;
  const documents = new Map<string, OpenApiDocument>();
  for (const group of groups) {
    const key = documentKey(group);
    const entry = index.paths[key];
    if (!entry) throw new Error(`the server does not serve ${key}`);
    documents.set(key, JSON.parse(await read(server, entry.serverRelativeURL)) as OpenApiDocument);
  }
  const api = JSON.parse(await read(server, '/api', discoveryType)) as Discovery;
  const apis = JSON.parse(await read(server, '/apis', discoveryType)) as Discovery;
  return {
    documents,
    discovery: { api: only(groups, api), apis: only(groups, apis) },
    version: JSON.parse(await read(server, '/version')) as Record<string, string>,
  };
}

/** The resources of one group and version. */
export function resourcesOf({ discovery }: Capture, { group, version }: GroupVersion): readonly DiscoveredResource[] {
  const { items } = group ? discovery.apis : discovery.api;
  const entry = items.find((item) => (item.metadata.name ?? '') === group);
  return entry?.versions.find((candidate) => candidate.version === version)?.resources ?? [];
}

interface OpenApiIndex {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

function only(groups: readonly GroupVersion[], discovery: Discovery): Discovery {
  const items = discovery.items.flatMap((item) => {
    const wanted = new Set(groups.filter((g) => g.group === (item.metadata.name ?? '')).map((g) => g.version));
    const versions = item.versions.filter((version) => wanted.has(version.version));
    return versions.length > 0 ? [{ ...item, versions }] : [];
  });
  return { ...discovery, items };
}

async function read(server: ApiServer, path: string, accept = 'application/json'): Promise<string> {
  const { status, body } = await server.call('GET', path, { accept });
  if (status !== 200) throw new Error(`GET ${path} gave ${status}: ${body.slice(0, 500)}`);
  return body;
}
