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
import { complain } from '../command-line.ts';
import { etcdParts } from '../image/index.ts';
import { ensurePart, kubernetesVersions } from '../parts/index.ts';
import { repositoryRoot } from '../repository-root.ts';
import { tallyLine } from './tally.ts';
import { readTestArguments } from './test-arguments.ts';

/**
 * `npm run test:e2e [-- path ...]`: starts a real Kubernetes, runs test/e2e in its network, and always stops it. With
 * `--cluster dev` the tests use the cluster of `npm run cluster`, which keeps running. With `--kubernetes 1.35` it is
 * an older Kubernetes, and `*.version.e2e.test.ts` are run as well. With `--if-possible` a machine that cannot run a
 * Kubernetes (no root, no namespaces, packages that cannot be installed) is not a failure: a message is printed, and
 * nothing is tested.
 */
const minors = kubernetesVersions.map(({ minor }) => minor);
const usage = {
  command: 'npm run test:e2e',
  help: `npm run test:e2e -- [PATH ...] [options]

Brings up a real Kubernetes as root, runs test/e2e in its network and takes it down again.
  --cluster NAME               uses a cluster that runs already, as npm run cluster starts it, and leaves it
  --kubernetes VERSION         runs this one (${minors.join(', ')}), and what is tested on every version
  --if-possible                a machine that cannot run a Kubernetes is no failure
`,
};
const args = [...readTestArguments(usage, ['--cluster', '--kubernetes', '--if-possible'])];
const borrowed = taken('--cluster', 'dev');
const minor = taken('--kubernetes', '');
const chosen = kubernetesVersions.find((version) => version.minor === minor);
if (minor !== undefined && !chosen) complain(usage, `--kubernetes takes ${minors.join(', ')}, not "${minor}"`);
if (minor !== undefined && borrowed !== undefined) complain(usage, '--kubernetes starts a cluster, --cluster does not');
// A separate cluster for each, so that they can run beside the usual one.
const name = minor === undefined ? 'e2e' : `e2e-${minor.replace('.', '-')}`;
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

/** Removes an option and its value from the arguments. */
function taken(option: string, otherwise: string): string | undefined {
  const at = args.indexOf(option);
  return at === -1 ? undefined : (args.splice(at, 2)[1] ?? otherwise);
}

async function run(): Promise<number> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const { signal } = interruption;
  if (borrowed !== undefined) return runInside(await attachCluster(borrowed), borrowed);
  // Checked first, because building for a machine that cannot run it takes minutes.
  await prepareMachine(report);
  // The files of images are built before the tests' time limits start: on a new machine this takes minutes.
  for (const part of [...etcdParts, 'helm', 'versitygw']) await ensurePart(part, { report, signal });
  const images = writeImages(loadableImages);
  // Handled when it is awaited; until then it must not end this process.
  images.catch(() => undefined);
  const kubernetes = chosen && { kubernetes: chosen.part };
  const cluster = await startCluster({ name, lifetime: 'this-process', report, signal, ...kubernetes });
  try {
    await images;
    return await runInside(cluster, name);
  } finally {
    await stopCluster(layoutOf(name));
  }
}

/** The tests connect to pods and Services directly, because their processes are in the cluster's network. */
async function runInside(cluster: Cluster, clusterName: string): Promise<number> {
  // Once for all files, which run concurrently.
  await loadImages(cluster, loadableImages);
  interruption.signal.throwIfAborted();
  const program = join(repositoryRoot, 'tools', 'test', 'e2e-inside.ts');
  const projects = ['e2e', 'e2e-alone', ...(chosen ? ['e2e-version'] : [])];
  const [command = '', ...rest] = cluster.entering('network', [process.execPath, program, projects.join(','), ...args]);
  const env = { ...process.env, ETCD_OPERATOR_E2E_CLUSTER: clusterName, KUBECONFIG: cluster.kubeconfig };
  // The last one closes when this process ends in any way: then the tests end too.
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
