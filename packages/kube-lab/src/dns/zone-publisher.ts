// SPDX-License-Identifier: Apache-2.0
import { keyString } from '@operator-parts/kube';
import type { SharedCaches } from '../controllers/shared-caches.ts';
import { followServices } from '../network/follow-services.ts';
import type { DnsRecord } from './record.ts';
import { serviceRecords } from './service-records.ts';

/** Keeps the lab's zone up to date with Services and EndpointSlices. Returns a function that stops it. */
export function publishZone(
  caches: SharedCaches,
  put: (owner: string, records: readonly DnsRecord[]) => void,
): () => void {
  const last = new Map<string, string>();
  return followServices(caches, ({ namespace, name, service, slices }) => {
    const records = service ? serviceRecords(service, slices) : [];
    const key = keyString({ namespace, name });
    const text = JSON.stringify(records);
    if (last.get(key) === text) return;
    last.set(key, text);
    put(`Service ${key}`, records);
  });
}
