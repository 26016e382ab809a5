// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openTree } from '../check/tree.ts';
import { deployFiles } from '../deploy/deploy-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { checksPage } from '../security/checks-page.ts';
import { folders } from './generated-files.ts';
import { kindPages } from './kind-pages.ts';
import { reasonPage, remedies } from './reason-page.ts';

test('git knows every generated file as such', () => {
  const inFolders = openTree(repositoryRoot).files.filter((file) => folders.some((folder) => file.startsWith(folder)));
  const written = [
    ...deployFiles(),
    ...kindPages(),
    reasonPage(repositoryRoot),
    remedies(repositoryRoot),
    checksPage(),
  ].map(({ path }) => path);
  const files = [...inFolders, ...written, 'package-lock.json'];
  const told = execFileSync('git', ['check-attr', 'linguist-generated', '--', ...files], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  const unmarked = told.split('\n').filter((line) => line !== '' && !line.endsWith(': set'));
  expect(unmarked).toEqual([]);
  expect(files.length).toBeGreaterThan(40);
});
