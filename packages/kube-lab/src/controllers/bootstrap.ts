// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  isKubeError,
  type KubeObject,
  type Resource,
  type Service,
  services,
  storageClasses,
} from '@etcd-operator/kube';
import { apiServerAddress, dnsAddress } from '../network/addresses.ts';
import { labStorageClasses } from './storage/volume-objects.ts';

/** What every cluster has from the start: the services of the API server and of DNS. */
export async function createFirstObjects(client: Client): Promise<void> {
  await ensure(
    client,
    services,
    service('default', 'kubernetes', apiServerAddress, [
      { name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 },
    ]),
  );
  await ensure(
    client,
    services,
    service('kube-system', 'kube-dns', dnsAddress, [
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
    ]),
  );
}

/** The lab's storage classes. */
export async function createStorageClasses(client: Client): Promise<void> {
  for (const each of labStorageClasses()) await ensure(client, storageClasses, each);
}

/** Services that the lab serves itself, not through endpoints. */
export function isLabService({ metadata }: Service): boolean {
  const key = `${metadata?.namespace}/${metadata?.name}`;
  return key === 'default/kubernetes' || key === 'kube-system/kube-dns';
}

function service(
  namespace: string,
  name: string,
  clusterIP: string,
  ports: NonNullable<NonNullable<Service['spec']>['ports']>,
): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP, clusterIPs: [clusterIP], ports, sessionAffinity: 'None', type: 'ClusterIP' },
  };
}

async function ensure<T extends KubeObject>(client: Client, resource: Resource<T>, object: T): Promise<void> {
  try {
    await client.resource(resource).create(object);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
