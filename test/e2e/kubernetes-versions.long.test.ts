// SPDX-License-Identifier: Apache-2.0
/**
 * The operator on every supported version of Kubernetes: `npm run test:long -- kubernetes`. It needs root, like `npm
 * run test:e2e`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { kubernetesVersions } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { root } from './testing/scenes/manifests.ts';

test.for(kubernetesVersions)('works on Kubernetes $version', async ({ minor, version }, { signal }) => {
  const command = ['test:e2e', '--kubernetes', minor, 'whole-life.version'];
  // Its tests run on a separate cluster, in whose network this process is not.
  const run = spawn(process.execPath, [join(root, 'tools', 'run.mjs'), ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
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
  expect(output).toContain(`Kubernetes ${version} is up`);
});
