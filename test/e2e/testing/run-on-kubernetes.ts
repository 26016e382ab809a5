// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { KubernetesVersion } from '@etcd-operator/tools';
import { expect } from 'vitest';
import { root } from './scenes/manifests.ts';

/** `npm run test:e2e` for some files on one version of Kubernetes, on a cluster of its own, in whose network this process is not. Resolves with what it prints. */
export async function runOnKubernetes(
  { minor }: KubernetesVersion,
  files: readonly string[],
  signal: AbortSignal,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = ['test:e2e', '--kubernetes', minor, ...files];
  const run = spawn(process.execPath, [join(root, 'tools', 'run.mjs'), ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  signal.addEventListener('abort', () => run.kill('SIGTERM'));
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.setEncoding('utf8').on('data', (words: string) => {
      output += words;
      // Building a version takes long, so the progress is shown.
      process.stdout.write(words);
    });
  }
  const [status] = (await once(run, 'close')) as [number | null];
  expect(status, 'what it printed says why').toBe(0);
  return output;
}
