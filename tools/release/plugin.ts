// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCommand } from '../build/build-command.ts';
import { buildPrograms, commandsOf } from '../build/build-programs.ts';
import { workspacesOf } from '../build/workspace.ts';
import { type ImageFile, program, text } from '../image/image.ts';
import { architectures } from '../image/pinned-node.ts';
import { billOfMaterials } from '../supply-chain/bill-of-materials.ts';
import { bundledPackages, type LockFile } from '../supply-chain/bundled-packages.ts';
import { krewManifest } from './krew.ts';
import type { ArtefactKind, Release } from './release.ts';
import { writeSingleExecutable } from './single-executable.ts';
import { writeTarball } from './tarball.ts';

const name = 'kubectl-etcd';
/** kubectl runs a program of this name when a person presses Tab behind `kubectl etcd`. */
const completion = text('kubectl_complete-etcd', '#!/bin/sh\nexec kubectl-etcd __complete "$@"\n', 0o755);

/** Archives of the plugin: one for each architecture of Linux that needs nothing else, one for any machine that has Node. */
export function pluginArchives(version: string): Readonly<Record<'amd64' | 'arm64' | 'node', string>> {
  const file = (platform: string) => `${name}-${version}-${platform}.tar.gz`;
  return { amd64: file('linux-amd64'), arm64: file('linux-arm64'), node: file('node') };
}

/** The plugin with its completion, the manifest for krew, and what it consists of. */
export const plugin: ArtefactKind = {
  name: 'plugin',
  async make(release) {
    const { root, out, version } = release;
    const files = pluginArchives(version);
    const work = await mkdtemp(join(tmpdir(), 'etcd-operator-plugin-'));
    try {
      const built = await buildPlugin(release, work);
      const beside: readonly ImageFile[] = [completion, text('LICENSE', await readFile(join(root, 'LICENSE'), 'utf8'))];
      await writeTarball([...beside, program(name, built)], join(out, files.node));
      for (const architecture of architectures) {
        const file = join(work, architecture);
        await writeSingleExecutable({ program: built, root, architecture }, file);
        await writeTarball([...beside, program(name, file)], join(out, files[architecture]));
      }
      await writeFile(join(out, `${name}-${version}.cdx.json`), await pluginBill(release, work));
      await writeFile(join(out, 'krew-etcd.yaml'), await krewManifest(release, files));
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
};

/** The program as one file for a Node on PATH. */
async function buildPlugin({ root }: Pick<Release, 'root'>, out: string): Promise<string> {
  await buildCommand(command(root), { root, out });
  return join(out, name);
}

function command(root: string) {
  const found = commandsOf(workspacesOf(root, 'apps')).find((one) => one.name === name);
  if (!found) throw new Error(`apps/${name}/package.json does not declare the command ${name}`);
  return found;
}

async function pluginBill({ root, version }: Release, work: string): Promise<string> {
  const { sources } = await buildPrograms([command(root)], { root, out: join(work, 'parts') });
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  return billOfMaterials({ name, version, packages: bundledPackages(sources, lock) });
}
