// SPDX-License-Identifier: Apache-2.0

import { dirname } from 'node:path';
import { cachedArchive, type Image } from '../image/index.ts';
import { requireProgram } from '../image/require-program.ts';
import type { ProcessIdentity } from '../parts/build/process-identity.ts';
import { ensurePart, type Part } from '../parts/index.ts';
import type { RunOptions, RunResult } from '../process/run-program.ts';
import { ClusterError } from './cluster-error.ts';
import { inside } from './configuration.ts';
import { type Layout, layoutOf } from './layout.ts';
import { runOrFail, runProgram, systemPath } from './run-program.ts';
import { type Entrance, entering } from './sandbox.ts';
import { runningState } from './state.ts';

/**
 * A running cluster for tests and commands. Its API server, pods and Services are reachable only from its own network,
 * which has no connection to the outside: programs are run in it with `run`. A whole test run is started there
 * (tools/test/e2e.ts), so that clients in the test's own process can connect too.
 */
export interface Cluster {
  readonly layout: Layout;
  /** The version of Kubernetes, such as '1.36.3'. */
  readonly version: string;
  /** Path of an administrator's kubeconfig. Its server address is valid in the cluster's network. */
  readonly kubeconfig: string;
  /** Path of the kubectl of the same version as the cluster. */
  readonly kubectlProgram: string;
  /** The command line that runs a program in the cluster's network, or as part of the cluster. */
  entering(entrance: Entrance, argv: readonly string[]): readonly string[];
  /** The environment variables for kubectl and the API server in the cluster's network. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a program in the cluster's network. */
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs kubectl as administrator and resolves with its output; rejects if it fails. */
  kubectl(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Creates or changes objects. */
  apply(objects: readonly object[]): Promise<void>;
  /** Imports an image into containerd, with all its names. */
  importImage(image: Image): Promise<void>;
  /** Imports an OCI archive into containerd, with the names that it contains. */
  importArchive(archive: string): Promise<void>;
}

/** The running cluster with this name. */
export async function attachCluster(name: string): Promise<Cluster> {
  const layout = layoutOf(name);
  const state = runningState(layout);
  if (state === undefined) {
    throw new ClusterError('NotRunning', `the cluster "${name}" is not running: start it with "npm run cluster -- up"`);
  }
  return clusterAt(layout, state.init, await ensurePart(state.kubernetes));
}

/** The cluster of this Kubernetes version whose first process is `init`, possibly still starting. */
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
