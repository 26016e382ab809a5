// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from 'node:net';
import type { ClusterConfig } from './cluster-config.ts';
import { configError, reasonOf } from './config-error.ts';

/** The folder of a pod's service account. */
const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => Promise<string>;

/** True in a pod, where the kubelet sets the address of the API server. */
export function isInCluster(env: Environment): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/** The configuration of a pod: its service account, whose token and CA are read again when the kubelet rotates them. */
export async function inClusterConfig(env: Environment, readFile: ReadFile): Promise<ClusterConfig> {
  const [host, port] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']];
  if (!host || !port) {
    throw configError('in-cluster configuration', 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const file = (name: string) => `${serviceAccountFolder}/${name}`;
  await mustRead(file('token'), readFile);
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: (await readFile(file('namespace')).catch(() => '')).trim() || 'default',
    certificateAuthority: { kind: 'file', path: file('ca.crt') },
    credential: { kind: 'token-file', path: file('token') },
    source: 'in-cluster configuration',
  };
}

async function mustRead(path: string, readFile: ReadFile): Promise<void> {
  try {
    await readFile(path);
  } catch (cause) {
    const advice = 'check that the pod does not set automountServiceAccountToken: false';
    throw configError('in-cluster configuration', `cannot read ${path} (${reasonOf(cause)}); ${advice}`, cause);
  }
}
