// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The hand-written files below a root: no installed, built or version-control files. */
export interface Tree {
  readonly root: string;
  /** Paths from the root with forward slashes, sorted. */
  readonly files: readonly string[];
  has(path: string): boolean;
  read(path: string): string;
}

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Lists the tree once; contents are read on demand and cached, because most checks read the same files. */
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

/** Hand-written TypeScript. */
export function sourceFiles(tree: Tree): readonly string[] {
  return tree.files.filter((file) => file.endsWith('.ts') && !isGenerated(file));
}

/** Generated files, which their generator checks; rules for hand-written files do not apply. */
export function isGenerated(file: string): boolean {
  return /(^|\/)(gen|generated|golden|testdata)\//.test(file);
}

/** Tests and their support code; some rules for product code do not apply. */
export function isTest(file: string): boolean {
  return /\.test\.ts$/.test(file) || /(^|\/)(testing|tutorial)\//.test(file) || file.startsWith('test/');
}

/** Code that we ship or that others build on: rules on time, randomness and layers apply. */
export function isProduct(file: string): boolean {
  return /^(packages|apps|example)\/[^/]+\/src\//.test(file) && !isTest(file);
}
