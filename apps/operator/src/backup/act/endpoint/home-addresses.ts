// SPDX-License-Identifier: Apache-2.0
import { type Client, type Pod, pods, type Service, services } from '@etcd-operator/kube';

/**
 * Those of some addresses that belong to a namespace: of its pods that have not ended, and of its Services that select pods. Read at this moment: an
 * address is given to another pod as soon as its pod is gone.
 */
export async function homeAddresses(
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
  // One await for all: if a request failed while another is awaited, its rejection would be unhandled and end the process.
  const [ofPods, { items }] = await Promise.all([
    Promise.all(addresses.map(isOfPod)),
    client.resource(services).list({ namespace, signal }),
  ]);
  const ofServices = new Set(items.flatMap(addressesOf));
  const home = new Set(addresses.filter((address, index) => ofPods[index] || ofServices.has(address)));
  if (home.size === addresses.length) return home;
  return new Set([...home, ...(await secondAddresses(client, namespace, addresses, signal))]);
}

/** Of pods with addresses of both IP families Kubernetes selects by the first alone; so all pods of the namespace are read for the second. */
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

/** One that has ended leaves its address to others, and one in the network of its node has that of the node. */
export function hasOwnAddress({ spec, status }: Pod): boolean {
  return !spec?.hostNetwork && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Without a selector, the author of its endpoints decides where it leads. */
function addressesOf({ spec }: Service): readonly string[] {
  if (Object.keys(spec?.selector ?? {}).length === 0 || spec?.type === 'ExternalName') return [];
  return spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : []);
}
