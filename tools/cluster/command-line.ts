// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { PartError } from '../parts/part.ts';
import { attachCluster, type Cluster } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';
import { insideProcesses } from './inside-processes.ts';
import { layoutOf } from './layout.ts';
import { loadableImages, loadImages } from './load-images.ts';
import { makeReadyVolumes } from './objects/ready-volumes.ts';
import { startCluster } from './start-cluster.ts';
import { runningState } from './state.ts';
import { stopCluster } from './stop-cluster.ts';

/** The cluster for interactive use; tests have a separate one. */
const name = 'dev';

const usage = `npm run cluster -- up                   starts a real Kubernetes on this machine (as root)
npm run cluster -- down                 stops it and removes everything of it
npm run cluster -- status               says what runs
npm run cluster -- kubectl ...          runs kubectl against it
npm run cluster -- load <image> ...     makes images and hands them to it: ${loadableImages.join(' ')}
                                        or OCI archives, by their paths (x.oci.tar)
npm run cluster -- run <program> ...    runs a program of this machine in its network, with kubectl at hand

It has no way out and no way in but these commands: its network is its own.
`;

/** `npm run cluster`. Sets the exit status. */
export async function runCommandLine([command, ...args]: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(command, args);
  } catch (error) {
    if (!(error instanceof ClusterError || error instanceof PartError)) throw error;
    process.stderr.write(`etcd-operator: ${error.message}\n`);
    process.exitCode ||= 1;
  }
}

async function dispatch(command: string | undefined, args: readonly string[]): Promise<number> {
  switch (command) {
    case 'up':
      return up();
    case 'down':
      return down();
    case 'status':
      return status();
    case 'kubectl': {
      const cluster = await attachCluster(name);
      return inNetwork(cluster, [cluster.kubectlProgram, ...args]);
    }
    case 'run':
      return args.length === 0 ? misuse('run takes a program') : inNetwork(await attachCluster(name), args);
    case 'load':
      return args.length === 0 ? misuse('load takes images') : load(args);
    case '--help':
      process.stdout.write(usage);
      return 0;
    default:
      return misuse(command === undefined ? 'a command is missing' : `there is no command "${command}"`);
  }
}

function misuse(wrong: string): number {
  process.stderr.write(`${wrong}; npm run cluster -- --help says what it takes\n`);
  return 2;
}

async function up(): Promise<number> {
  const stop = new AbortController();
  let status = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      status = 128 + constants.signals[signal];
      process.stderr.write('Stopping ...\n');
      stop.abort(new ClusterError('Aborted', 'the start was interrupted; nothing is left of it'));
    });
  }
  try {
    const cluster = await startCluster({ name, lifetime: 'until-stopped', report: say, signal: stop.signal });
    await makeReadyVolumes(cluster);
  } catch (error) {
    if (status === 0) throw error;
    process.stderr.write('The start was interrupted; nothing is left of it.\n');
    return status;
  }
  process.stdout.write('Try: npm run cluster -- kubectl get pods --all-namespaces\n');
  return 0;
}

async function down(): Promise<number> {
  const layout = layoutOf(name);
  const wasThere = runningState(layout) !== undefined;
  await stopCluster(layout);
  process.stdout.write(wasThere ? 'The cluster is gone, and everything of it.\n' : 'No cluster was running.\n');
  return 0;
}

async function status(): Promise<number> {
  const layout = layoutOf(name);
  const state = runningState(layout);
  if (!state) {
    process.stdout.write('No cluster is running.\n');
    return 1;
  }
  const programs = (await insideProcesses(state.init)).map(({ program }) => program);
  const components = programs.filter((program) => /^(etcd|kube|containerd$)/.test(program)).sort();
  process.stdout.write(
    `${state.ready ? 'Running' : 'Starting'}: ${components.join(', ')}\nFiles: ${layout.directory}\n`,
  );
  if (!state.ready) return 1;
  const cluster = await attachCluster(name);
  return inNetwork(cluster, [cluster.kubectlProgram, 'get', 'nodes,pods', '--all-namespaces']);
}

async function load(images: readonly string[]): Promise<number> {
  const cluster = await attachCluster(name);
  const [archives, names] = [images.filter(isArchive), images.filter((image) => !isArchive(image))];
  for (const reference of await loadImages(cluster, names)) process.stdout.write(`${reference}\n`);
  for (const archive of archives) {
    const path = resolve(archive);
    if (!existsSync(path)) throw new ClusterError('CommandFailed', `${path} does not exist`);
    await cluster.importArchive(path);
    process.stdout.write(`${path}\n`);
  }
  return 0;
}

const isArchive = (image: string) => image.endsWith('.tar');

/** Runs a program in the cluster's network with this terminal, and ends as it does. */
function inNetwork(cluster: Cluster, argv: readonly string[]): Promise<number> {
  const [program = '', ...args] = cluster.entering('network', argv);
  const env = { ...process.env, ...cluster.environment };
  const child = spawn(program, args, { stdio: 'inherit', env });
  // The terminal sends Ctrl-C to both; the program decides what to do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
