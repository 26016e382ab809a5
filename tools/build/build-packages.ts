// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../process/run-program.ts';
import { publishedManifest } from './published-manifest.ts';
import { repositoryOf, type Workspace } from './workspace.ts';

/** The source folder and the output folder. */
export interface BuildPlace {
  readonly root: string;
  readonly out: string;
}

/**
 * Builds packages for publication, each in a folder below `out`: JavaScript, declarations, data files, the README, the
 * licence and a package.json. All are compiled together and moved to the output only if that succeeded.
 */
export async function buildPackages(packages: readonly Workspace[], { root, out }: BuildPlace): Promise<void> {
  await mkdir(out, { recursive: true });
  const repository = repositoryOf(root);
  const emitted = await mkdtemp(join(tmpdir(), 'etcd-operator-build-'));
  try {
    await compile(root, emitted);
    for (const { name, directory, manifest } of packages) {
      const made = join(emitted, 'packages', name, 'src');
      await copyData(join(directory, 'src'), made);
      await cp(join(root, 'LICENSE'), join(made, 'LICENSE'));
      await cp(join(directory, 'README.md'), join(made, 'README.md'));
      const published = publishedManifest(manifest, { ...repository, directory: `packages/${name}` });
      await writeFile(join(made, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
      await replace(made, join(out, name));
    }
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function compile(root: string, out: string): Promise<void> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const args = ['-p', join(root, 'tools', 'build'), '--outDir', out, '--pretty', 'false'];
  const { outcome, ending, stdout } = await runProgram([tsc, ...args], { cwd: root });
  if (outcome === 'ok') return;
  const output = stdout.trim() || ending;
  throw new Error(`the packages do not compile; run "npm run check" and fix:\n${output}`);
}

/** Files that the source reads at run time are beside it; everything except code and test data is copied. */
function copyData(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, filter: (path) => !/\.ts$|\/(testing|testdata|golden)(\/|$)/.test(path) });
}

async function replace(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  try {
    await rename(from, to);
  } catch {
    // On another file system a rename is not possible.
    await cp(from, to, { recursive: true });
  }
}
