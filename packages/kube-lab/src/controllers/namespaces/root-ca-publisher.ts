// SPDX-License-Identifier: Apache-2.0
import { configMaps, isKubeError, namespaces } from '@operator-parts/kube';
import type { ControllerContext, StartController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';

/** The ConfigMap in every namespace that contains the CA of the API server. */
export const rootCaName = 'kube-root-ca.crt';

/** Creates the ConfigMap `kube-root-ca.crt` in every namespace, for pods to mount. */
export function rootCaPublisher(caPem: string): StartController {
  return (context) => {
    const { caches, clock, log } = context;
    const loop = new ReconcileLoop({
      name: 'root-ca-cert-publisher',
      clock,
      log,
      reconcile: (namespace) => publish(context, namespace, caPem),
    });
    const leave = [
      caches.of(namespaces).subscribe(({ object }) => loop.enqueue(object.metadata?.name ?? '')),
      caches.of(configMaps).subscribe(({ object: { metadata } }) => {
        if (metadata?.name === rootCaName && metadata.namespace) loop.enqueue(metadata.namespace);
      }),
    ];
    return {
      close: () => {
        for (const each of leave) each();
        loop.close();
      },
    };
  };
}

async function publish({ caches, client }: ControllerContext, namespace: string, caPem: string): Promise<undefined> {
  const found = caches.of(namespaces).get(undefined, namespace);
  if (!found || found.metadata?.deletionTimestamp || found.status?.phase === 'Terminating') return;
  const present = caches.of(configMaps).get(namespace, rootCaName);
  const data = { 'ca.crt': caPem };
  if (present?.data?.['ca.crt'] === caPem) return;
  if (present) {
    await client.resource(configMaps).replace({ ...present, data });
    return;
  }
  try {
    await client.resource(configMaps).create({ metadata: { namespace, name: rootCaName }, data });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
}
