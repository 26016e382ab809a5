// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectKey } from '../object.ts';
import { qualifiedName, type Resource, resourcePath } from '../resource.ts';

/** The path of one object. An invalid key is refused here: an empty name would address the whole collection. */
export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  if (!isPathSegment(key.name)) {
    throw new TypeError(`${JSON.stringify(key.name)} is not a valid name for ${qualifiedName(resource)}`);
  }
  return resourcePath(resource, {
    ...scope(resource, key.namespace, key.name),
    name: key.name,
    ...(subresource ? { subresource } : {}),
  });
}

/** The path of a collection, for creating objects or for all objects of a namespace. */
export function namespacePath(resource: Resource, object: KubeObject | { readonly namespace?: string }): string {
  const where = object as KubeObject & { readonly namespace?: string };
  const namespace = where.metadata ? where.metadata.namespace : where.namespace;
  return resourcePath(resource, scope(resource, namespace, where.metadata?.name));
}

function scope(resource: Resource, namespace: string | undefined, name: string | undefined): { namespace?: string } {
  if (!resource.namespaced) return {};
  if (!namespace || !isPathSegment(namespace)) {
    const what = name ? `"${name}"` : 'the request';
    throw new TypeError(`${qualifiedName(resource)} are namespaced, but ${what} has no namespace`);
  }
  return { namespace };
}

function isPathSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}
