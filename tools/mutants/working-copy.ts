// SPDX-License-Identifier: Apache-2.0
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openTree } from '../check/tree.ts';

/** Packages of this repository are linked by relative paths: the copy's lead to the copy. */
const own = '@etcd-operator';

/** The sources of a repository in a folder of its own, with the packages that are installed; gone when disposed of. */
export class WorkingCopy implements Disposable {
  readonly root: string;

  constructor(original: string) {
    this.root = mkdtempSync(join(tmpdir(), 'mutants-'));
    for (const file of openTree(original).files) {
      mkdirSync(join(this.root, dirname(file)), { recursive: true });
      cpSync(join(original, file), join(this.root, file));
    }
    const [from, to] = [join(original, 'node_modules'), join(this.root, 'node_modules')];
    mkdirSync(join(to, own), { recursive: true });
    // What vitest keeps in folders with a dot is of a run of its own.
    for (const name of readdirSync(from).filter((entry) => entry !== own && !/^\.(?!bin)/.test(entry)))
      symlinkSync(join(from, name), join(to, name));
    for (const name of readdirSync(join(from, own)))
      symlinkSync(readlinkSync(join(from, own, name)), join(to, own, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
