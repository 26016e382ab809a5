// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import type { Entry } from './control/registry.ts';
import { moduleCache } from './module-cache.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ShellOptions {
  readonly env: Environment;
  /** Empty for an interactive shell. */
  readonly command?: readonly string[];
  /** Resolves when the playground has ended. */
  readonly ended?: Promise<void>;
  /** Prints a line on the terminal. */
  readonly say?: (line: string) => void;
}

/** The environment in which kubectl, `kubectl etcd` and etcdctl find the playground. */
function shellEnvironment({ kubeconfig, bin, endpoint, aws }: Entry, env: Environment): NodeJS.ProcessEnv {
  return {
    ...env,
    KUBECONFIG: kubeconfig,
    PATH: `${bin}${delimiter}${env['PATH'] ?? ''}`,
    // Other programs in the user's shell must not use our cache.
    ...(env['NODE_COMPILE_CACHE'] === moduleCache(env) && { NODE_COMPILE_CACHE: undefined }),
    ...(aws !== '' && { AWS_DIR: aws }),
    ...(endpoint !== '' && { ETCDCTL_ENDPOINTS: endpoint }),
  };
}

const greeting = `In this shell, kubectl, kubectl etcd and etcdctl use the playground.
Type exit, or press Ctrl-D, to come back.`;
const farewell = `
The playground has stopped; kubectl and etcdctl in this shell can no longer reach it.
Type exit; npm start starts another one.`;

/** Runs a command, or an interactive shell, on this terminal. Resolves with its exit status. */
export function runShell(entry: Entry, { env, command = [], ended, say = toTerminal }: ShellOptions): Promise<number> {
  const [program = env['SHELL'] || '/bin/sh', ...args] = command;
  if (command.length === 0) say(greeting);
  const child = spawn(program, args, { stdio: 'inherit', env: shellEnvironment(entry, env) });
  void ended?.then(() => {
    if (child.exitCode === null && child.signalCode === null) say(farewell);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })));
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}

function toTerminal(line: string): void {
  process.stderr.write(`${line}\n`);
}
