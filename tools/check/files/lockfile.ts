// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';

const file = 'package-lock.json';

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * `npm ci` refuses a lock file without an entry for a required package. `npm install` silently leaves out optional
 * packages that the registry does not offer, mostly for other platforms.
 */
export const lockfile: Check = {
  name: 'lock file is complete',
  async run(tree) {
    if (!tree.has(file)) return { problems: [] };
    const { packages = {} } = JSON.parse(tree.read(file)) as { packages?: Readonly<Record<string, Entry>> };
    const problems = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies })
        .filter(([name]) => !isThere(packages, path, name))
        .map(([name, version]) => missing(path, name, version)),
    );
    return { problems };
  },
};

/** Node searches the folder of the importing package, then each one above it. */
function isThere(packages: Readonly<Record<string, Entry>>, path: string, name: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, parts.length - index).join('/'));
  return [...folders, ''].some((folder) => Object.hasOwn(packages, `${folder}${folder && '/'}node_modules/${name}`));
}

function missing(path: string, name: string, version: string): Problem {
  const message = `${path || 'the root'} needs ${name} ${version}, which has no entry: npm ci will refuse the file. Add one like those of its siblings (version, cpu, os, dev, optional)`;
  return { rule: 'missing-lock-entry', file, message };
}
