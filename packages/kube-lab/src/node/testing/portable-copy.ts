// SPDX-License-Identifier: Apache-2.0
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownPackage } from '@etcd-operator/tools';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The folder of a dependency, as Node finds it: in the nearest `node_modules` above the importing file. */
function locate(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Copies packages of this workspace, with sources and all dependencies, into a folder that another user can read.
 * Returns the folder of each workspace package in the copy.
 */
export function copyPackages(roots: readonly string[], target: string): ReadonlyMap<string, string> {
  const copied = new Map<string, string>();
  const queue = roots.map((folder) => ({ folder, isOurs: true }));
  for (const { folder, isOurs } of queue) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    if (copied.has(manifest.name)) continue;
    // Node strips no types below node_modules. So our own packages are copied beside that folder, and linked into it by
    // name.
    const home = isOurs ? join(target, 'packages', manifest.name) : join(target, 'node_modules', manifest.name);
    mkdirSync(dirname(home), { recursive: true });
    cpSync(folder, home, { recursive: true, filter: (source) => !source.includes('/node_modules/', folder.length) });
    copied.set(manifest.name, home);
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const found = locate(name, folder);
      if (found) queue.push({ folder: found, isOurs: ownPackage(name) !== undefined });
    }
  }
  return copied;
}
