// SPDX-License-Identifier: Apache-2.0
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openTree } from '../check/tree.ts';
import { ownScopes } from '../own-packages.ts';

/** The sources of a repository in a temporary folder, with the installed packages; removed when disposed. */
export class WorkingCopy implements Disposable {
  readonly root: string;

  constructor(original: string) {
    this.root = mkdtempSync(join(tmpdir(), 'mutants-'));
    for (const file of openTree(original).files) {
      mkdirSync(join(this.root, dirname(file)), { recursive: true });
      cpSync(join(original, file), join(this.root, file));
    }
    const [from, to] = [join(original, 'node_modules'), join(this.root, 'node_modules')];
    mkdirSync(to);
    // vitest's data in folders with a dot belongs to another run.
    for (const name of readdirSync(from).filter((entry) => !ownScopes.includes(entry) && !/^\.(?!bin)/.test(entry)))
      symlinkSync(join(from, name), join(to, name));
    // Packages of this repository are linked by relative paths: those of the copy point to the copy.
    for (const scope of ownScopes) {
      mkdirSync(join(to, scope), { recursive: true });
      for (const name of readdirSync(join(from, scope)))
        symlinkSync(readlinkSync(join(from, scope, name)), join(to, scope, name));
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
