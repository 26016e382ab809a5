// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { workspaceFilter } from './workspace-filter.ts';

const files = ['packages/kube/src/a.test.ts', 'packages/kube-lab/src/b.test.ts', 'tools/test/c.test.ts'];

test.each([
  ['/repo/package.json', files],
  ['/repo/packages/kube/package.json', ['packages/kube/src/a.test.ts']],
  ['/elsewhere/package.json', files],
  [undefined, files],
])('npm running a script of %s runs its own files', (manifest, expected) => {
  const environment = manifest === undefined ? {} : { npm_package_json: manifest };
  expect(files.filter(workspaceFilter(environment, '/repo'))).toEqual(expected);
});
