// SPDX-License-Identifier: Apache-2.0

import type { Cluster } from '@etcd-operator/tools/cluster';
import { type Client, connect, createClient, loadConfig } from '@operator-parts/kube';

/** Our own client as administrator, where starting kubectl for each query would be too slow. */
export interface AdminClient extends AsyncDisposable {
  readonly client: Client;
}

let observing: Promise<Client> | undefined;

/** One client for the whole process: starting kubectl for each query would keep a core busy. */
export function observerClient(cluster: Cluster): Promise<Client> {
  observing ??= adminClient(cluster).then(({ client }) => client);
  return observing;
}

/** This process is in the cluster's network, so the kubeconfig's address is valid. */
export async function adminClient(cluster: Cluster): Promise<AdminClient> {
  const transport = connect(await loadConfig({ env: {}, kubeconfig: cluster.kubeconfig }));
  return { client: createClient(transport), [Symbol.asyncDispose]: () => transport.close() };
}
