// SPDX-License-Identifier: Apache-2.0
import { type ClusterConfig, loadConfig } from '@operator-parts/kube';

export interface ClusterFlags {
  readonly kubeconfig: string;
  readonly master: string;
}

/**
 * The cluster of the flags: the given file, with another address if there is one; an address alone; or, without flags,
 * kubectl's configuration, or the cluster in which this program runs.
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
