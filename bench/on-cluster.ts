// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  attachCluster,
  type Cluster,
  layoutOf,
  loadImages,
  runningState,
  startCluster,
  stopCluster,
} from '@etcd-operator/tools/cluster';

const name = 'bench';

/**
 * Runs a TypeScript program in the network of a real Kubernetes, whose name is in ETCD_OPERATOR_E2E_CLUSTER, and
 * resolves with the JSON that it prints; its standard error is reported. Uses the cluster of `npm run cluster` if it is
 * running; otherwise starts and stops one.
 */
export async function onCluster(
  program: readonly string[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<unknown> {
  if (runningState(layoutOf('dev'))) return inside(await attachCluster('dev'), 'dev', program, report, signal);
  const cluster = await startCluster({ name, lifetime: 'this-process', report, signal });
  try {
    return await inside(cluster, name, program, report, signal);
  } finally {
    await stopCluster(layoutOf(name));
  }
}

async function inside(
  cluster: Cluster,
  clusterName: string,
  program: readonly string[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<unknown> {
  await loadImages(cluster, ['operator', 'busybox', 'etcd@3.6']);
  const [command = '', ...args] = cluster.entering('network', [process.execPath, ...program]);
  const env = { ...process.env, ETCD_OPERATOR_E2E_CLUSTER: clusterName, KUBECONFIG: cluster.kubeconfig };
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, signal });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program[0]} ended with ${code}`))));
  });
  createInterface(child.stderr).on('line', report);
  const [said] = await Promise.all([text(child.stdout), ended]);
  return JSON.parse(said);
}
