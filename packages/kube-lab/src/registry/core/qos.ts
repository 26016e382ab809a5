// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, type JsonObject } from '../../json/json.ts';
import { quantityNanos } from '../../schema/quantity-text.ts';

const counted = ['cpu', 'memory'];

/** `Guaranteed` if limits equal requests in every container, `BestEffort` if none sets any, else `Burstable`. */
export function qosClass(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...asObjects(spec['containers']), ...asObjects(spec['initContainers'])];
  let any = false;
  let guaranteed = true;
  for (const container of containers) {
    const resources = asObject(container['resources']) ?? {};
    const limits = amounts(resources['limits']);
    const requests = amounts(resources['requests']);
    if (limits.size > 0 || requests.size > 0) any = true;
    if (!counted.every((name) => limits.has(name) && (requests.get(name) ?? limits.get(name)) === limits.get(name))) {
      guaranteed = false;
    }
  }
  if (!any) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function amounts(value: unknown): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const name of counted) {
    const nanos = quantityNanos(String(asObject(value)?.[name] ?? '0'));
    if (nanos !== undefined && nanos > 0n) found.set(name, nanos);
  }
  return found;
}
