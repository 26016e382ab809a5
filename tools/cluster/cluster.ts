// SPDX-License-Identifier: Apache-2.0

import { dirname } from 'node:path';
import { cachedArchive, type Image } from '../image/index.ts';
import { requireProgram } from '../image/require-program.ts';
import type { ProcessIdentity } from '../parts/build/process-identity.ts';
import { ensurePart, type Part } from '../parts/index.ts';
import { ClusterError } from './cluster-error.ts';
import { inside } from './configuration.ts';
import { type Layout, layoutOf } from './layout.ts';
import { type RunOptions, type RunResult, runOrFail, runProgram, systemPath } from './run-program.ts';
import { type Entrance, entering } from './sandbox.ts';
import { runningState } from './state.ts';

/**
 * A running cluster as tests and commands use it. Its API server, pods and Services can be reached from inside its network
 * only, which has no way out: programs are run there with `run`, and a whole test run is started there (tools/test/e2e.ts), so that clients
 * in the test's own process reach everything too.
 */
export interface Cluster {
  readonly layout: Layout;
  /** The version of Kubernetes, such as '1.36.3'. */
  readonly version: string;
  /** Path of a kubeconfig of an administrator. It leads to the API server from inside the cluster's network. */
  readonly kubeconfig: string;
  /** Path of the kubectl of the same version as the cluster. */
  readonly kubectlProgram: string;
  /** The command line that runs a program in the cluster's network, or as part of the cluster. */
  entering(entrance: Entrance, argv: readonly string[]): readonly string[];
  /** What a program in the cluster's network finds kubectl and the API server by. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a program in the cluster's network. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs kubectl as administrator and resolves with what it prints; rejects if it fails. */
  kubectl(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Creates or changes objects. */
  apply(objects: readonly object[]): Promise<void>;
  /** Hands an image to containerd, under all of its names. */
  importImage(image: Image): Promise<void>;
  /** Hands an OCI archive to containerd, under the names that it gives. */
  importArchive(archive: string): Promise<void>;
}

/** The running cluster of this name. */
export async function attachCluster(name: string): Promise<Cluster> {
  const layout = layoutOf(name);
  const state = runningState(layout);
  if (state === undefined) {
    throw new ClusterError('NotRunning', `the cluster "${name}" is not running: start it with "npm run cluster -- up"`);
  }
  return clusterAt(layout, state.init, await ensurePart(state.kubernetes));
}

/** The cluster of this Kubernetes whose first process is `init`, however far its start has come. */
export async function clusterAt(layout: Layout, init: ProcessIdentity, kubernetes: Part): Promise<Cluster> {
  const kubectlProgram = requireProgram(kubernetes, 'kubectl');
  const ctr = requireProgram(await ensurePart('containerd'), 'ctr');
  const environment = { KUBECONFIG: layout.kubeconfig, PATH: `${dirname(kubectlProgram)}:${systemPath}` };
  const inNetwork = (options: RunOptions = {}) => ({
    ...options,
    environment: { ...environment, ...options.environment },
  });
  const cluster: Cluster = {
    layout,
    version: kubernetes.version,
    kubeconfig: layout.kubeconfig,
    kubectlProgram,
    environment,
    entering: (entrance, argv) => entering(init, entrance, argv),
    run: (argv, options) => runProgram(entering(init, 'network', argv), inNetwork(options)),
    kubectl: (args, options) => runOrFail(entering(init, 'network', [kubectlProgram, ...args]), inNetwork(options)),
    apply: async (objects) => {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      await cluster.kubectl(['apply', '--filename=-'], { input: JSON.stringify(list) });
    },
    importImage: async (image) => cluster.importArchive(await cachedArchive(image)),
    importArchive: async (archive) => {
      const socket = ['--address', inside.containerdSocket, '--namespace', 'k8s.io'];
      await runOrFail(entering(init, 'whole', [ctr, ...socket, 'images', 'import', '--local', archive]));
    },
  };
  return cluster;
}
