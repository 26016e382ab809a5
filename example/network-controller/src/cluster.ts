// SPDX-License-Identifier: Apache-2.0
import { type ClusterConfig, loadConfig } from '@etcd-operator/kube';

export interface ClusterFlags {
  readonly kubeconfig: string;
  readonly master: string;
}

/**
 * The cluster that the flags name: the file given, with another address if there is one; an address alone; or, without flags,
 * what kubectl would take, or the cluster that this program runs in.
 */
export async function clusterOf(
  { kubeconfig, master }: ClusterFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ClusterConfig> {
  if (master !== '' && kubeconfig === '') {
    return { server: master, namespace: 'default', credential: { kind: 'none' }, source: '-master' };
  }
  const config = await loadConfig({ env, ...(kubeconfig === '' ? {} : { kubeconfig }) });
  return master === '' ? config : { ...config, server: master };
}
