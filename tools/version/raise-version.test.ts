// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { openTree } from '../check/tree.ts';
import { ownPackage } from '../own-packages.ts';
import { repositoryRoot } from '../repository-root.ts';
import { presentVersion, raiseVersion } from './raise-version.ts';

/** Files in which the same digits have another meaning: other projects' versions, addresses, fixtures. */
const others = /^(tools\/|bench\/go\/|test\/conformance\/|CHANGELOG\.md$|packages\/.*\.go$)/;

describe('raising the version of this repository', () => {
  const tree = openTree(repositoryRoot);
  const before = presentVersion(tree);
  const changed = raiseVersion(tree, '9.8.7');
  const textOf = (file: string) => changed.get(file) ?? tree.read(file);

  test('leaves it nowhere', () => {
    // Not as part of a longer number, and not in the lock file's third-party packages.
    const ours = new RegExp(`(?<![\\d.])${before.replaceAll('.', '\\.')}(?![\\d.])`);
    const left = tree.files.filter(
      (file) => !others.test(file) && file !== 'package-lock.json' && ours.test(textOf(file)),
    );
    expect(left).toEqual([]);
  });

  test('changes every workspace, and what they need of each other', () => {
    const manifests = tree.files
      .filter((file) => /^(packages|apps|example|bench|tools)\/([\w-]+\/)?package\.json$/.test(file))
      .map((file) => JSON.parse(textOf(file)) as Readonly<Record<string, unknown>>);
    expect(manifests).toHaveLength(15);
    for (const { version, dependencies, devDependencies } of manifests) {
      const needed = Object.entries(Object.assign({}, dependencies, devDependencies) as Record<string, string>);
      const ranges = needed.filter(([name]) => ownPackage(name) !== undefined).map(([, range]) => range);
      expect(new Set([version, ...ranges])).toEqual(new Set(['9.8.7']));
    }
  });

  test('changes our entries of the lock file and no other', () => {
    const entries = (text: string) =>
      Object.entries((JSON.parse(text) as { packages: Record<string, { version?: string }> }).packages);
    const isOther = ([path]: readonly [string, unknown]) => path.includes('node_modules/');
    const [old, raised] = [entries(tree.read('package-lock.json')), entries(textOf('package-lock.json'))];
    expect(raised.filter(isOther)).toEqual(old.filter(isOther));
    const own = raised.filter((entry) => !isOther(entry)).map(([, { version }]) => version);
    expect(new Set(own)).toEqual(new Set(['9.8.7']));
  });

  test('is undone by raising it back', () => {
    const copy = { ...tree, read: textOf };
    const back = raiseVersion(copy, before);
    expect([...changed.keys()].filter((file) => back.get(file) !== tree.read(file))).toEqual([]);
  });
});
