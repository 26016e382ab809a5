// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import type { Lab } from '../lab.ts';

/** The real kubectl with the kubeconfig of a lab. */
export interface Kubectl {
  /** Runs one command to its end and returns its output; fails with stdout and stderr. */
  (args: readonly string[], options?: { readonly input?: string; readonly env?: NodeJS.ProcessEnv }): Promise<string>;
  /** Starts a command that runs until it is killed. */
  start(args: readonly string[]): ChildProcess;
}

export async function openKubectl(lab: Pick<Lab, 'kubeconfigPath' | 'directory'>): Promise<Kubectl> {
  const { programs } = await ensurePart('kubectl');
  const program = programs['kubectl'] ?? 'kubectl';
  const base = { PATH: process.env['PATH'], HOME: join(lab.directory, 'home'), KUBECONFIG: lab.kubeconfigPath };
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawn(program, args, { env: { ...base, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const run: Omit<Kubectl, 'start'> & ((...args: Parameters<Kubectl>) => Promise<string>) = async (args, options) => {
    const child = start(args, options?.env);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.stdin.end(options?.input ?? '');
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) return output.stdout;
    throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${output.stderr}${output.stdout}`);
  };
  return Object.assign(run, { start: (args: readonly string[]) => start(args) });
}
