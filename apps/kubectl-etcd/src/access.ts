// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import { type Client, connect, createClient, isKubeError, loadConfig, type Transport } from '@operator-parts/kube';
import { type Clock, systemClock } from '@operator-parts/ports';
import { CliError } from './cli-error.ts';
import type { Invocation } from './command-line.ts';

/** The connection to one API server, and the namespace of the command. */
export interface Access {
  readonly client: Client;
  readonly transport: Transport;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shows the progress of a wait in one line, separate from the command's output. */
  readonly tell: (line: string) => void;
}

/** Finds the configuration of the API server as kubectl does. */
export async function openAccess(
  { kubeconfig, context, namespace }: Invocation,
  { env, err }: { readonly env: Readonly<Record<string, string | undefined>>; readonly err: (text: string) => void },
  signal: AbortSignal,
): Promise<Access> {
  const config = await loadConfig({
    env,
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const transport = connect(config);
  return {
    client: createClient(transport),
    transport,
    namespace: namespace ?? (config.namespace || 'default'),
    clock: systemClock,
    signal,
    tell: (line) => err(`${line}\n`),
  };
}

/** The named cluster, or the only one in the namespace. */
export async function findCluster(access: Access, name: string | undefined): Promise<EtcdCluster> {
  const { client, namespace, signal } = access;
  const clusters = client.resource(etcdClusters.resource);
  if (name !== undefined) {
    try {
      return await clusters.get({ namespace, name }, { signal });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      throw new CliError('NotFound', `there is no EtcdCluster ${name} in namespace ${namespace}`, { cause: error });
    }
  }
  const { items } = await clusters.list({ namespace, signal }).catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
    throw new CliError(
      'NotFound',
      'this Kubernetes cluster has no EtcdCluster resources: install the etcd-operator first',
      {
        cause: error,
      },
    );
  });
  const [only] = items;
  if (only && items.length === 1) return only;
  const names = items.map(({ metadata }) => metadata?.name ?? '').join(', ');
  if (!only) throw new CliError('NotFound', `there is no EtcdCluster in namespace ${namespace}`);
  throw new CliError('Ambiguous', `namespace ${namespace} has several EtcdClusters, name one of them: ${names}`);
}
