// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { compareVersions } from './version-order.ts';

/** The versions of one group, the preferred one first, each with its resources. */
interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

function groupsOf(resources: readonly ServedResource[]): readonly Group[] {
  const names = [...new Set(resources.map(({ group }) => group))];
  return names.map((name) => {
    const own = resources.filter(({ group }) => group === name);
    const versions = [...new Set(own.map(({ version }) => version))].sort(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({ version, resources: own.filter((one) => one.version === version) })),
    };
  });
}

/** Answer of `/api`. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** Answer of `/apis`. */
export function apiGroupList(resources: readonly ServedResource[]): JsonObject {
  const groups = groupsOf(resources.filter(({ group }) => group !== '')).map(groupEntry);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** Answer of `/apis/<group>`; undefined if the group is not served. */
export function apiGroup(resources: readonly ServedResource[], name: string): JsonObject | undefined {
  const [group] = groupsOf(resources.filter((one) => one.group === name));
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: Group): JsonObject {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] ?? null };
}

/** Answer of `/api/v1` and `/apis/<group>/<version>`; undefined if the version is not served. */
export function apiResourceList(
  resources: readonly ServedResource[],
  group: string,
  version: string,
): JsonObject | undefined {
  const own = resources.filter((one) => one.group === group && one.version === version);
  if (own.length === 0) return undefined;
  const groupVersion = group ? `${group}/${version}` : version;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: own.flatMap(resourceEntries) };
}

function resourceEntries(resource: ServedResource): JsonObject[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const main: JsonObject = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    ...(verbs.includes('get') && verbs.includes('create') ? { storageVersionHash: storageVersionHash(resource) } : {}),
  };
  const subresources = resource.subresources.map(({ name, responseKind, verbs: own }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(responseKind.group !== resource.group || responseKind.version !== resource.version
      ? { group: responseKind.group, version: responseKind.version }
      : {}),
    kind: responseKind.kind,
    verbs: [...own],
  }));
  return [main, ...subresources];
}

/** The hash of the version in which a resource is stored. Clients compare it to see whether that version changed. */
function storageVersionHash({ group, storageVersion, version, kind }: ServedResource): string {
  const text = `${group}/${storageVersion ?? version}/${kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

/** Aggregated discovery: everything below `/api` or `/apis` in one answer. */
export function groupDiscoveryList(resources: readonly ServedResource[], core: boolean): JsonObject {
  const groups = groupsOf(resources.filter(({ group }) => (group === '') === core));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: versions.map(({ version, resources: own }) => ({
        version,
        resources: own.map(discoveryEntry),
        freshness: 'Current',
      })),
    })),
  };
}

function discoveryEntry(resource: ServedResource): JsonObject {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  const kindOf = (one: { group: string; version: string; kind: string }): Json =>
    !resource.custom && one.group === resource.group && one.version === resource.version
      ? { group: '', version: '', kind: one.kind }
      : { group: one.group, version: one.version, kind: one.kind };
  return {
    resource: plural,
    responseKind: kindOf(resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((one) => ({
            subresource: one.name,
            responseKind: kindOf(one.responseKind),
            verbs: [...one.verbs],
          })),
        }
      : {}),
  };
}
