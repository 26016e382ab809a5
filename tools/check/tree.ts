// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The files under a root that people write: no installed, built or version-control files. */
export interface Tree {
  readonly root: string;
  /** Paths from the root with forward slashes, sorted. */
  readonly files: readonly string[];
  has(path: string): boolean;
  read(path: string): string;
}

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Lists the tree once; contents are read on demand and kept, because most checks read the same files. */
export function openTree(root: string): Tree {
  const contents = new Map<string, string>();
  return {
    root,
    files: list(root).sort(),
    has: (path) => existsSync(join(root, path)),
    read(path) {
      const known = contents.get(path);
      if (known !== undefined) return known;
      const text = readFileSync(join(root, path), 'utf8');
      contents.set(path, text);
      return text;
    },
  };
}

function list(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name).split(sep).join('/');
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : list(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/** TypeScript that is written by hand. */
export function sourceFiles(tree: Tree): readonly string[] {
  return tree.files.filter((file) => file.endsWith('.ts') && !isGenerated(file));
}

/** Made by a program and checked by its generator, not by the rules for what people write. */
export function isGenerated(file: string): boolean {
  return /(^|\/)(gen|generated|golden|testdata)\//.test(file);
}

/** Tests and what only tests use; they may do what product code may not. */
export function isTest(file: string): boolean {
  return /\.test\.ts$/.test(file) || /(^|\/)(testing|tutorial)\//.test(file) || file.startsWith('test/');
}

/** What we ship or what others build on: time, chance and layers matter here. */
export function isProduct(file: string): boolean {
  return /^(packages|apps|example)\/[^/]+\/src\//.test(file) && !isTest(file);
}
