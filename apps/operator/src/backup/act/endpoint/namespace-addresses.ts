// SPDX-License-Identifier: Apache-2.0
import { type Client, type Pod, pods, type Service, services } from '@operator-parts/kube';

/**
 * The given addresses that belong to a namespace: to its pods that have not ended, and to its Services with a selector. This reads the API
 * server and not the cache, because the address of a deleted pod can already belong to a pod of another namespace.
 */
export async function namespaceAddresses(
  client: Client,
  namespace: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const isOfPod = async (address: string): Promise<boolean> => {
    const fieldSelector = `status.podIP=${address}`;
    const { items } = await client.resource(pods).list({ namespace, fieldSelector, signal });
    return items.some(hasOwnAddress);
  };
  // All requests are awaited together. If a request failed while only another one was awaited, its unhandled rejection would end the
  // process.
  const [ofPods, { items }] = await Promise.all([
    Promise.all(addresses.map(isOfPod)),
    client.resource(services).list({ namespace, signal }),
  ]);
  const ofServices = new Set(items.flatMap(addressesOf));
  const home = new Set(addresses.filter((address, index) => ofPods[index] || ofServices.has(address)));
  if (home.size === addresses.length) return home;
  return new Set([...home, ...(await secondAddresses(client, namespace, addresses, signal))]);
}

/**
 * The field selector of Kubernetes finds a pod only by its first address. For the second IP family, all pods of the namespace are listed.
 */
async function secondAddresses(
  client: Client,
  namespace: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { items } = await client.resource(pods).list({ namespace, signal });
  const owned = new Set(items.filter(hasOwnAddress).flatMap(({ status }) => status?.podIPs?.map(({ ip }) => ip) ?? []));
  return addresses.filter((address) => owned.has(address));
}

/**
 * False for an ended pod, whose address may already belong to another pod, and for a pod in the host network, which has the address of its
 * node.
 */
export function hasOwnAddress({ spec, status }: Pod): boolean {
  return !spec?.hostNetwork && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Skips Services without a selector: the author of their endpoints decides where they lead. */
function addressesOf({ spec }: Service): readonly string[] {
  if (Object.keys(spec?.selector ?? {}).length === 0 || spec?.type === 'ExternalName') return [];
  return spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : []);
}
