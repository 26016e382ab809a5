// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import type { Check, Problem } from '../check.ts';
import { isGenerated, type Tree } from '../tree.ts';

interface Manifest {
  readonly license?: string;
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/**
 * package.json files use exact versions, agree with each other and have a README; neither they nor the lockfile name a
 * registry.
 */
export const manifests: Check = {
  name: 'package manifests and lockfile',
  async run(tree) {
    const files = tree.files.filter((file) => posix.basename(file) === 'package.json' && !isGenerated(file));
    return {
      problems: [
        ...files.flatMap((file) => manifestProblems(tree, file)),
        ...disagreements(tree, files),
        ...hosts(tree),
      ],
    };
  },
};

function manifestProblems(tree: Tree, file: string): Problem[] {
  const manifest = parseManifest(tree, file);
  const loose = Object.entries(pins(manifest))
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => ({
      rule: 'exact-pins',
      file,
      line: lineOf(tree.read(file), `"${name}"`),
      message: `${name} is pinned as "${version}": write the one version that package-lock.json names`,
    }));
  const fields: Problem[] = [];
  if (manifest.license !== 'Apache-2.0')
    fields.push({ rule: 'manifest-license', file, message: 'set "license": "Apache-2.0"' });
  if (manifest.type !== 'module') fields.push({ rule: 'manifest-type', file, message: 'set "type": "module"' });
  const readme = posix.join(posix.dirname(file), 'README.md');
  if (!tree.has(readme))
    fields.push({ rule: 'manifest-readme', file, message: `write ${readme}: what it is and where to start` });
  return [...loose, ...fields];
}

/** Two versions of the same package mean two installed copies and incompatible types. */
function disagreements(tree: Tree, files: readonly string[]): Problem[] {
  const first = new Map<string, { readonly version: string; readonly file: string }>();
  const problems: Problem[] = [];
  for (const file of files) {
    for (const [name, version] of Object.entries(pins(parseManifest(tree, file)))) {
      const known = first.get(name);
      if (!known) first.set(name, { version, file });
      else if (known.version !== version) {
        const message = `${name} is ${version} here and ${known.version} in ${known.file}: pin one version`;
        problems.push({ rule: 'one-version', file, line: lineOf(tree.read(file), `"${name}"`), message });
      }
    }
  }
  return problems;
}

function hosts(tree: Tree): Problem[] {
  const rules = [
    {
      file: 'package-lock.json',
      pattern: /"resolved": *"(https?|git)/,
      remedy: 'run "npm install" with the .npmrc of this repository',
    },
    { file: '.npmrc', pattern: /registry *=/, remedy: 'a registry belongs into your own npm configuration' },
  ];
  return rules.flatMap(({ file, pattern, remedy }) => {
    const line = tree.has(file)
      ? tree
          .read(file)
          .split('\n')
          .findIndex((text) => pattern.test(text))
      : -1;
    return line === -1
      ? []
      : [
          {
            rule: 'no-registry-host',
            file,
            line: line + 1,
            message: `this names where packages are downloaded: ${remedy}`,
          },
        ];
  });
}

function parseManifest(tree: Tree, file: string): Manifest {
  return JSON.parse(tree.read(file)) as Manifest;
}

function pins(manifest: Manifest): Readonly<Record<string, string>> {
  return { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
}

function lineOf(text: string, part: string): number {
  return text.split('\n').findIndex((line) => line.includes(part)) + 1;
}
