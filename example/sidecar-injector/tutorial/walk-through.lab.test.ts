// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { blocksOf, type Exchange, exchangesOf } from '@etcd-operator/tools/markdown';
import { createImageTable, nodeProgramsImage, startLab } from '@operator-parts/kube-lab';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '..');
const repository = join(home, '..', '..');

/** The image in deploy/deployment.yaml, run from this repository. */
function injectorImage() {
  const directories = ['example', 'packages', 'node_modules'].map((folder) => join(repository, folder));
  return nodeProgramsImage({ programs: { 'sidecar-injector': join(home, 'src', 'main.ts') }, directories });
}

/** Commands of the README with their output. */
function exchanges(): readonly Exchange[] {
  const blocks = blocksOf(join(home, 'README.md')).filter(({ language }) => language === 'console');
  return blocks.flatMap(exchangesOf);
}

/** The output of a command without the progress of a roll-out. */
function type(command: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: home, env, timeout: 90_000 }, (_error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.trimEnd().split('\n');
      resolve(lines.filter((line) => !line.startsWith('Waiting for')).join('\n'));
    });
  });
}

test('the walk-through of the README, typed as written: the injector runs in Pods, and is called through its Service', async () => {
  const { programs } = await ensurePart('kubectl');
  const images = createImageTable([{ repositories: ['sidecar-injector'], tags: { '0.1.0': injectorImage() } }]);
  await using lab = await startLab({ nodes: 1, images });
  lab.server.useDialService((host, port) => lab.dial(host, port));
  const path = `${dirname(programs['kubectl'] ?? '')}:${process.env['PATH'] ?? ''}`;
  const env = { PATH: path, HOME: lab.directory, KUBECONFIG: lab.kubeconfigPath };
  for (const { command, output } of exchanges()) {
    expect(`$ ${command}\n${await type(command, env)}`).toBe(`$ ${command}\n${output}`);
  }
});
