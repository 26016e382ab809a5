// SPDX-License-Identifier: Apache-2.0
import {
  type ConfigMap,
  configMaps,
  isKubeError,
  type KubeObject,
  namespaces,
  type ServiceAccount,
  serviceAccounts,
} from '@etcd-operator/kube';
import type { ControllerContext, StartController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';

/** The ConfigMap of every namespace that holds the API server's certificate authority. */
export const rootCaName = 'kube-root-ca.crt';
const accountName = 'default';

/** Gives every namespace what pods in it rely on: the service account `default` and the API server's certificate authority. */
export function namespaceDefaultsController(caPem: string): StartController {
  return (context) => {
    const { caches, clock, log } = context;
    const loop = new ReconcileLoop({
      name: 'namespace-defaults',
      clock,
      log,
      reconcile: (namespace) => reconcile(context, namespace, caPem),
    });
    const named =
      (name: string) =>
      ({ object: { metadata } }: { readonly object: KubeObject }) => {
        if (metadata?.name === name && metadata.namespace) loop.enqueue(metadata.namespace);
      };
    const leave = [
      caches.of(namespaces).subscribe(({ object }) => loop.enqueue(object.metadata?.name ?? '')),
      caches.of(configMaps).subscribe(named(rootCaName)),
      caches.of(serviceAccounts).subscribe(named(accountName)),
    ];
    return {
      close: () => {
        for (const each of leave) each();
        loop.close();
      },
    };
  };
}

async function reconcile({ caches, client }: ControllerContext, namespace: string, caPem: string): Promise<undefined> {
  const found = caches.of(namespaces).get(undefined, namespace);
  if (!found || found.metadata?.deletionTimestamp || found.status?.phase === 'Terminating') return;
  if (!caches.of(serviceAccounts).get(namespace, accountName)) {
    const account: ServiceAccount = { metadata: { namespace, name: accountName } };
    await tolerateExisting(client.resource(serviceAccounts).create(account));
  }
  const present = caches.of(configMaps).get(namespace, rootCaName);
  if (present?.data?.['ca.crt'] === caPem) return;
  const wanted: ConfigMap = { metadata: { namespace, name: rootCaName }, data: { 'ca.crt': caPem } };
  if (present) await client.resource(configMaps).replace({ ...present, data: { 'ca.crt': caPem } });
  else await tolerateExisting(client.resource(configMaps).create(wanted));
}

async function tolerateExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
