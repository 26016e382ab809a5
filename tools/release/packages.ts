// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackages } from '../build/build-packages.ts';
import { type Workspace, workspacesOf } from '../build/workspace.ts';
import { ownPackage } from '../own-packages.ts';
import { outputOf } from '../process/run-program.ts';
import { billOfMaterials } from '../supply-chain/bill-of-materials.ts';
import { bundledPackages, type LockFile } from '../supply-chain/bundled-packages.ts';
import type { ArtefactKind } from './release.ts';

/** Every package of packages/ as `npm publish` would send it, and what they need of others. */
export const packages: ArtefactKind = {
  name: 'packages',
  async make({ root, out, version }) {
    const work = await mkdtemp(join(tmpdir(), 'etcd-operator-packages-'));
    try {
      const all = workspacesOf(root, 'packages');
      await buildPackages(all, { root, out: work });
      for (const { name } of all) await pack(join(work, name), out);
      const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile & Lock;
      const needed = bundledPackages(neededBy(all, lock), lock);
      const bill = billOfMaterials({ name: 'etcd-operator-packages', version, packages: needed });
      await writeFile(join(out, `etcd-operator-${version}-packages.cdx.json`), bill);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
};

/** The file that npm packs a package into: its name with its scope, and a hyphen where a file name may not have a slash. */
export function packageFile(name: string, version: string): string {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;
}

/** npm gives every file the same time, and compresses by Node: the same files give the same bytes. */
async function pack(folder: string, out: string): Promise<void> {
  await outputOf(['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: folder });
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
}

/** A file of each package of others that is installed with ours, by the way Node looks for packages. */
function neededBy(all: readonly Workspace[], { packages: locked }: Lock): readonly string[] {
  const found = new Set<string>();
  const visit = (from: string, names: readonly string[]): void => {
    for (const name of names.filter((one) => ownPackage(one) === undefined)) {
      const folder = resolved(from, name);
      if (found.has(folder)) continue;
      found.add(folder);
      visit(folder, Object.keys(locked[folder]?.dependencies ?? {}));
    }
  };
  const resolved = (from: string, name: string): string => {
    const place = `${from ? `${from}/` : ''}node_modules/${name}`;
    if (locked[place] !== undefined || from === '') return place;
    const cut = from.lastIndexOf('/node_modules/');
    return resolved(cut < 0 ? '' : from.slice(0, cut), name);
  };
  for (const { name, manifest } of all) visit(`packages/${name}`, Object.keys(manifest.dependencies ?? {}));
  return [...found].map((folder) => `${folder}/package.json`);
}
