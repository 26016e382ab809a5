// SPDX-License-Identifier: Apache-2.0
import { type EndpointSlice, endpointSlices, keyOf, keyString, type Service, services } from '@etcd-operator/kube';
import type { SharedCaches } from '../controllers/shared-caches.ts';
import type { DnsRecord } from './record.ts';
import { serviceRecords } from './service-records.ts';

/** Keeps the lab's zone in step with Services and EndpointSlices. Returns the way to stop it. */
export function publishZone(
  caches: SharedCaches,
  put: (owner: string, records: readonly DnsRecord[]) => void,
): () => void {
  const serviceCache = caches.of(services);
  const sliceCache = caches.of(endpointSlices);
  const last = new Map<string, string>();
  const publish = (namespace: string, name: string) => {
    const service = serviceCache.get(namespace, name);
    const records = service ? recordsOf(service, sliceCache.inNamespace(namespace)) : [];
    const key = keyString({ namespace, name });
    const text = JSON.stringify(records);
    if (last.get(key) === text) return;
    last.set(key, text);
    put(`Service ${key}`, records);
  };
  const leave = [
    serviceCache.subscribe(({ object }) => {
      const { namespace = '', name } = keyOf(object);
      publish(namespace, name);
    }),
    sliceCache.subscribe(({ object }) => publish(object.metadata?.namespace ?? '', serviceName(object))),
  ];
  return () => {
    for (const each of leave) each();
  };
}

function recordsOf(service: Service, slices: readonly EndpointSlice[]): readonly DnsRecord[] {
  return serviceRecords(
    service,
    slices.filter((slice) => serviceName(slice) === service.metadata?.name),
  );
}

function serviceName(slice: EndpointSlice): string {
  return slice.metadata?.labels?.['kubernetes.io/service-name'] ?? '';
}
