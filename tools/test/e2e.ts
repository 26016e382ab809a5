// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  attachCluster,
  type Cluster,
  ClusterError,
  layoutOf,
  loadableImages,
  loadImages,
  prepareMachine,
  startCluster,
  stopCluster,
  writeImages,
} from '../cluster/index.ts';
import { etcdParts } from '../image/index.ts';
import { ensurePart } from '../parts/index.ts';
import { repositoryRoot } from '../repository-root.ts';
import { tallyLine } from './tally.ts';

/**
 * `npm run test:e2e [-- path ...]`: brings up a real Kubernetes, runs test/e2e in its network, and takes it down again, whatever
 * happens. With `--cluster dev` the tests run on the cluster of `npm run cluster`, which stays. With `--if-possible` a machine that
 * cannot run a Kubernetes (no root, no namespaces, packages that cannot be installed) is no failure: that is said, and nothing is tested.
 */
const name = 'e2e';
const args = process.argv.slice(2);
const at = args.indexOf('--cluster');
const borrowed = at === -1 ? undefined : (args.splice(at, 2)[1] ?? 'dev');
const ifPossible = args.includes('--if-possible');
if (ifPossible) args.splice(args.indexOf('--if-possible'), 1);
const interruption = new AbortController();
let interruptedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruptedBy ??= signal;
    interruption.abort(new Error(`interrupted by ${signal}`));
  });
}

process.exitCode = await run().catch((error: unknown) => {
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(interruptedBy ? '\nInterrupted; nothing of the cluster is left.\n' : `\n${words}\n`);
  const excuses: readonly unknown[] = ['NotPossibleHere', 'PackageMissing'];
  const isExcused = ifPossible && error instanceof ClusterError && excuses.includes(error.code);
  if (isExcused) process.stderr.write('So nothing was tested end to end.\n');
  process.stdout.write(`\n${tallyLine({ passed: 0, failed: isExcused ? 0 : 1 })}\n`);
  return isExcused ? 0 : 1;
});
if (interruptedBy) process.exitCode = 128 + constants.signals[interruptedBy];

async function run(): Promise<number> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const { signal } = interruption;
  if (borrowed !== undefined) return runInside(await attachCluster(borrowed), borrowed);
  // Before minutes are spent on building things for a machine that cannot run them.
  await prepareMachine(report);
  // Whatever tests make images of is there before their clocks run: on a new machine it is built now, which takes minutes.
  for (const part of [...etcdParts, 'helm', 'versitygw']) await ensurePart(part, { report, signal });
  const images = writeImages(loadableImages);
  // Seen when it is waited for; until then it must not end this process.
  images.catch(() => undefined);
  const cluster = await startCluster({ name, lifetime: 'this-process', report, signal });
  try {
    await images;
    return await runInside(cluster, name);
  } finally {
    await stopCluster(layoutOf(name));
  }
}

/** The tests reach pods and Services themselves, because their processes are in the cluster's network. */
async function runInside(cluster: Cluster, clusterName: string): Promise<number> {
  // Once for all files, which run side by side.
  await loadImages(cluster, loadableImages);
  interruption.signal.throwIfAborted();
  const program = join(repositoryRoot, 'tools', 'test', 'e2e-inside.ts');
  const [command = '', ...rest] = cluster.entering('network', [process.execPath, program, ...args]);
  const env = { ...process.env, ETCD_OPERATOR_E2E_CLUSTER: clusterName, KUBECONFIG: cluster.kubeconfig };
  // The last one closes when this process is gone, however that came about: then the tests end too.
  const child = spawn(command, rest, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env });
  interruption.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === null) reject(new Error(`the tests were ended by ${signal}`));
      else resolve(code);
    });
  });
}
