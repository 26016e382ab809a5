// SPDX-License-Identifier: Apache-2.0
import { type EndpointSlice, endpointSlices, keyOf, type Service, services } from '@operator-parts/kube';
import type { SharedCaches } from '../controllers/shared-caches.ts';

/** A Service, undefined if it was deleted, with the EndpointSlices that carry its name. */
export interface FollowedService {
  readonly namespace: string;
  readonly name: string;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

/**
 * Reports each Service again whenever it or one of its EndpointSlices has changed. Returns a function that stops it.
 */
export function followServices(caches: SharedCaches, tell: (followed: FollowedService) => void): () => void {
  const serviceCache = caches.of(services);
  const sliceCache = caches.of(endpointSlices);
  const look = (namespace: string, name: string) => {
    const slices = sliceCache.inNamespace(namespace).filter((slice) => serviceName(slice) === name);
    tell({ namespace, name, service: serviceCache.get(namespace, name), slices });
  };
  const leave = [
    serviceCache.subscribe(({ object }) => {
      const { namespace = '', name } = keyOf(object);
      look(namespace, name);
    }),
    sliceCache.subscribe(({ object }) => look(object.metadata?.namespace ?? '', serviceName(object))),
  ];
  return () => {
    for (const each of leave) each();
  };
}

function serviceName(slice: EndpointSlice): string {
  return slice.metadata?.labels?.['kubernetes.io/service-name'] ?? '';
}
