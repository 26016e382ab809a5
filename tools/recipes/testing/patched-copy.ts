// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownScopes } from '../../own-packages.ts';
import { repositoryRoot as root } from '../../repository-root.ts';

/** One replacement in one file. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Compiles a copy of our shipped code with these changes. Returns the files with compiler errors, sorted. */
export function complaintsAfter(edits: readonly Edit[]): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'etcd-operator-recipe-'));
  try {
    copyInto(copy);
    for (const edit of edits) patch(copy, edit);
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const args = ['--noEmit', '--pretty', 'false', '-p', join(copy, 'tsconfig.copy.json')];
    const { stdout } = spawnSync(tsc, args, { cwd: copy, encoding: 'utf8' });
    return [...new Set([...stdout.matchAll(/^([^\s(]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file))].sort();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Packages and apps without their tests; third-party dependencies are linked, those between them are the copy's. */
function copyInto(copy: string): void {
  for (const folder of ['apps', 'packages'])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !/\.test\.ts$|\/(node_modules|dist|testing)$/.test(path),
    });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'));
  const include = ['packages/*/src', 'apps/operator/src', 'apps/kubectl-etcd/src'];
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  const modules = join(copy, 'node_modules');
  for (const scope of ownScopes) mkdirSync(join(modules, scope), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.') && !ownScopes.includes(name))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const manifest of manifestsOf(copy)) {
    const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly name: string };
    symlinkSync(dirname(manifest), join(modules, name));
  }
}

function manifestsOf(copy: string): readonly string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(copy, folder)).map((name) => join(copy, folder, name, 'package.json')),
  );
}

function patch(copy: string, { file, find, replace }: Edit): void {
  const text = readFileSync(join(copy, file), 'utf8');
  if (!text.includes(find))
    throw new Error(`${file} does not contain ${JSON.stringify(find)}: adapt the recipe's test`);
  writeFileSync(join(copy, file), text.replace(find, replace));
}
