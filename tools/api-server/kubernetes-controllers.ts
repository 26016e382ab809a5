// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiServer, programOf } from './api-server.ts';
import { LeashedProcess } from './leashed-process.ts';

/** What a kube-controller-manager and a kube-scheduler of tests have in common: enough requests, no election, no port. */
const eagerly = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=500', '--kube-api-burst=1000'];

/**
 * Starts the controllers of Kubernetes with these names; `*` means all, `-name` all but this one.
 * @param more additional flags
 */
export async function startControllerManager(
  server: ApiServer,
  names: readonly string[],
  more: readonly string[] = [],
): Promise<LeashedProcess> {
  return start(server, 'kube-controller-manager', [`--controllers=${names.join(',')}`, ...eagerly, ...more]);
}

/** Starts the scheduler of Kubernetes. */
export async function startScheduler(server: ApiServer): Promise<LeashedProcess> {
  return start(server, 'kube-scheduler', eagerly);
}

async function start(server: ApiServer, name: string, flags: readonly string[]): Promise<LeashedProcess> {
  const kubeconfig = join(server.folder, `${name}.kubeconfig`);
  await writeFile(kubeconfig, kubeconfigOf(server), { mode: 0o600 });
  const program = await programOf(name, name);
  const log = join(server.folder, `${name}.log`);
  return LeashedProcess.start(name, program, [`--kubeconfig=${kubeconfig}`, ...flags], log);
}

function kubeconfigOf({ url, ca, token }: ApiServer): string {
  const authority = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
    'current-context': 'real',
  });
}
