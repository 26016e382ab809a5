// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { partsScope } from '../own-packages.ts';
import { repositoryRoot } from '../repository-root.ts';
import type { Check, Problem } from './check.ts';
import { openTree } from './tree.ts';

const configurations = ['biome.json', '.oxlintrc.json', 'knip.json', 'tsconfig.json', '.npmrc'];

/** A small repository without violations: two packages and one app, with the real configuration. */
const sound: Readonly<Record<string, string>> = {
  'package.json': manifest('fixture', { workspaces: ['packages/*', 'apps/*'], scripts: { check: 'true' } }),
  'README.md': '# Fixture\n',
  'packages/ports/README.md': '# ports\n',
  'packages/kube/README.md': '# kube\n',
  'packages/ports/package.json': manifest('@operator-parts/ports', { exports: { '.': './src/index.ts' } }),
  'packages/ports/src/index.ts': source("export { noon } from './noon.ts';"),
  'packages/ports/src/noon.ts': source('export const noon: number = 12;'),
  'packages/kube/package.json': manifest('@operator-parts/kube', {
    exports: { '.': './src/index.ts' },
    dependencies: { '@operator-parts/ports': '0.1.0' },
  }),
  'packages/kube/src/index.ts': source("export { midnight } from './midnight.ts';"),
  'packages/kube/src/midnight.ts': source(
    "import { noon } from '@operator-parts/ports';\n\nexport const midnight: number = 2 * noon;",
  ),
};

/** The TypeScript text of a file, with the header that every source file has. */
export function source(text: string): string {
  return `// SPDX-License-Identifier: Apache-2.0\n${text}\n`;
}

/** A package.json like ours, with additional fields. */
export function manifest(name: string, fields: object): string {
  const required = { name, version: '0.1.0', license: 'Apache-2.0', type: 'module' };
  return `${JSON.stringify({ ...required, ...fields }, null, 2)}\n`;
}

/** Runs one check on a valid repository with these files added or replaced, in a temporary folder. */
export async function problemsWith(check: Check, files: Readonly<Record<string, string>>): Promise<readonly Problem[]> {
  const root = mkdtempSync(join(tmpdir(), 'etcd-operator-check-'));
  try {
    for (const name of configurations) copyFileSync(join(repositoryRoot, name), join(root, name));
    for (const [path, text] of Object.entries({ ...sound, ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    installInto(root);
    const { problems } = await check.run(openTree(root));
    return problems;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The links of `npm install`: the fixture's own packages, and the types of Node. */
function installInto(root: string): void {
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, partsScope), { recursive: true });
  symlinkSync(join(repositoryRoot, 'node_modules', '@types'), join(modules, '@types'));
  for (const name of ['ports', 'kube']) symlinkSync(join(root, 'packages', name), join(modules, partsScope, name));
}
