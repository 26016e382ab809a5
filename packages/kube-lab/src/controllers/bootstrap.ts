// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  isKubeError,
  type KubeObject,
  type Resource,
  type Service,
  services,
  storageClasses,
} from '@operator-parts/kube';
import { dnsAddress, type IpFamily } from '../network/addresses.ts';
import { labStorageClasses } from './storage/volume-objects.ts';

/** Creates the DNS Service of the cluster. The Service of the API server exists already. */
export async function createFirstObjects(client: Client, family: IpFamily): Promise<void> {
  await ensure(client, services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
    spec: {
      clusterIP: dnsAddress[family],
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
        { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
      ],
    },
  });
}

/** Creates the lab's storage classes. */
export async function createStorageClasses(client: Client): Promise<void> {
  for (const each of labStorageClasses()) await ensure(client, storageClasses, each);
}

/** Services that the lab serves itself, not through endpoints. */
export function isLabService({ metadata }: Service): boolean {
  const key = `${metadata?.namespace}/${metadata?.name}`;
  return key === 'default/kubernetes' || key === 'kube-system/kube-dns';
}

async function ensure<T extends KubeObject>(client: Client, resource: Resource<T>, object: T): Promise<void> {
  try {
    await client.resource(resource).create(object);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
