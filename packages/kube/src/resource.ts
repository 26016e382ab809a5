// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from './object.ts';

declare const objectType: unique symbol;

/**
 * A kind as the API serves it: built in (`pods`, `services`, ...) or declared with `@operator-parts/crd`. Contains the
 * TypeScript type of its objects, so that clients, informers and listers are typed without generated code.
 */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never present at run time; connects the descriptor with the type of its objects. */
  readonly [objectType]?: T;
}

/** `v1` or `apps/v1`: the value of `apiVersion`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

/** `pods` or `deployments.apps`: the name in RBAC and messages, and the key of caches (independent of the version). */
export function qualifiedName(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
}

/** The path of the collection, or of one object and its subresource. Every part is escaped. */
export function resourcePath(
  resource: Pick<Resource, 'group' | 'version' | 'plural' | 'namespaced'>,
  where: { readonly namespace?: string; readonly name?: string; readonly subresource?: string } = {},
): string {
  const parts = resource.group ? ['apis', resource.group, resource.version] : ['api', resource.version];
  if (resource.namespaced && where.namespace) parts.push('namespaces', where.namespace);
  parts.push(resource.plural);
  if (where.name) parts.push(where.name);
  if (where.name && where.subresource) parts.push(...where.subresource.split('/'));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
