// SPDX-License-Identifier: Apache-2.0
import { type Client, type KubeObject, type Resource, serviceAccounts } from '@operator-parts/kube';

type RuntimeClass = KubeObject & { readonly handler: string };

const runtimeClasses: Resource<RuntimeClass> = {
  ...{ group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', plural: 'runtimeclasses' },
  namespaced: false,
};

/** The names of objects that specs of the walk refer to by default. Pods are created only if these objects exist. */
const names = ['walk-a', 'walk-b'];

export async function createRuntimeClasses(client: Client): Promise<void> {
  for (const name of names) await client.resource(runtimeClasses).create({ metadata: { name }, handler: 'walk' });
}

export async function createServiceAccounts(client: Client, namespace: string): Promise<void> {
  for (const name of names) await client.resource(serviceAccounts).create({ metadata: { name, namespace } });
}
