// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import type { Entry } from './control/registry.ts';
import { moduleCache } from './module-cache.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment in which kubectl, `kubectl etcd` and etcdctl find the playground. */
function shellEnvironment({ kubeconfig, bin, endpoint }: Entry, env: Environment): NodeJS.ProcessEnv {
  return {
    ...env,
    KUBECONFIG: kubeconfig,
    PATH: `${bin}${delimiter}${env['PATH'] ?? ''}`,
    // Other programs of a person's shell have no business in our cache.
    ...(env['NODE_COMPILE_CACHE'] === moduleCache(env) && { NODE_COMPILE_CACHE: undefined }),
    ...(endpoint !== '' && { ETCDCTL_ENDPOINTS: endpoint }),
  };
}

/** Runs a command, or an interactive shell, on this terminal. Resolves with its exit status. */
export function runShell(entry: Entry, env: Environment, command: readonly string[] = []): Promise<number> {
  const [program = env['SHELL'] || '/bin/sh', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', env: shellEnvironment(entry, env) });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })));
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}
