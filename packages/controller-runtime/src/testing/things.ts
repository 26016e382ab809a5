// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@operator-parts/kube';

/** A kind to test with. */
export interface Thing extends KubeObject {
  readonly spec?: { readonly size?: number };
  readonly status?: { readonly observed?: number };
}

export const things: Resource<Thing> = {
  group: 'lab.example',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

/** A kind owned by things. */
export interface Part extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const parts: Resource<Part> = { group: '', version: 'v1', kind: 'Part', plural: 'parts', namespaced: true };

/** `thing('a/one', { size: 3 })` */
export function thing(key: string, spec: Thing['spec'] = {}, metadata: KubeObject['metadata'] = {}): Thing {
  const [namespace = 'default', name = key] = key.split('/');
  return { apiVersion: 'lab.example/v1', kind: 'Thing', metadata: { namespace, name, ...metadata }, spec };
}

/** `part('a/one-0')` */
export function part(key: string, metadata: KubeObject['metadata'] = {}): Part {
  const [namespace = 'default', name = key] = key.split('/');
  return { apiVersion: 'v1', kind: 'Part', metadata: { namespace, name, ...metadata } };
}
