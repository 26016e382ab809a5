// SPDX-License-Identifier: Apache-2.0

import { startApiServer, startControllerManager } from '@etcd-operator/tools';
import type { Transport } from '@operator-parts/kube';
import type { Backend } from './backend.ts';
import { httpsTransport } from './https-transport.ts';

/** The controllers that complete operations of the API server; others would only change the objects of cases. */
const controllers = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'serviceaccount-controller',
];

/** Storage without a watch cache, so that compacted history is gone at once. */
const uncached = ['endpointslices.discovery.k8s.io#0'];

const flags = [
  '--authorization-mode=RBAC',
  '--allow-privileged=true',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--watch-cache-sizes=${uncached.join(',')}`,
];

/** Objects that a server creates a moment after it is ready. */
const ownPaths = ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map(
  (name) => `/api/v1/namespaces/${name}`,
);

/**
 * etcd, kube-apiserver and kube-controller-manager as processes on loopback, ready in a few seconds.
 * @param more additional controllers for the cases
 */
export async function startRealBackend(more: readonly string[] = []): Promise<Backend> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startApiServer({ user: 'kubernetes-admin', flags }));
  for (const path of ownPaths) await server.serves(path);
  const transports: Transport[] = [];
  const reach = (bearer?: string) => {
    const { url, ca } = server;
    const transport = httpsTransport({ url, ca, ...(bearer !== undefined && { token: bearer }) });
    transports.push(transport);
    return transport;
  };
  stack.defer(() => Promise.all(transports.map((transport) => transport.close())).then(() => undefined));
  const admin = reach(server.token);
  stack.use(await startControllerManager(server, [...controllers, ...more]));
  const kept = stack.move();
  return {
    name: 'kube-apiserver',
    patience: 90_000,
    admin,
    bearer: reach,
    compact: () => server.compact(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
