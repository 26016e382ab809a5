// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTree } from '../check/tree.ts';
import { kubernetesVersions } from '../parts/kubernetes-parts.ts';
import { partTable } from '../parts/table.ts';
import { repositoryRoot } from '../repository-root.ts';
import { partsFor } from '../test/lab-needs.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const versions = kubernetesVersions.map(({ version }) => version);

test('the current Kubernetes and the two minors before it are tested', () => {
  const minors = versions.map((version) => Number(version.split('.')[1]));
  const [current = 0] = minors;
  expect(minors).toEqual([current, current - 1, current - 2]);
  expect(kubernetesVersions.map(({ part }) => partTable[part]?.version)).toEqual(versions);
  expect(partTable['kubernetes']?.version).toBe(versions[0]);
});

test('the table of the support page has a column for each version and a row for each test that runs on it', () => {
  const scenario = read('test/e2e/full-lifecycle.version.e2e.test.ts');
  const tests = [...scenario.matchAll(/^test\('(.*)', async/gm)].map(([, name = '']) => name);
  const section = read('docs/guide/support.md').split('\n## Tested on Kubernetes\n')[1]?.split('\n## ')[0] ?? '';
  const cells = section
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| --'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(tests.length).toBeGreaterThan(5);
  expect(cells).toEqual([
    ['on Kubernetes', ...versions],
    ...tests.map((name) => [name, ...versions.map(() => 'passed')]),
  ]);
});

test.each(['docs/guide/support.md', 'docs/guide/install.md'])('%s names the minors that are tested', (page) => {
  const minors = kubernetesVersions.map(({ minor }) => minor);
  expect(read(page)).toContain(`tested on ${minors.slice(0, -1).join(', ')} and ${minors.at(-1)}`);
});

test('no tier builds the older ones for every change', () => {
  const older = kubernetesVersions.slice(1).map(({ part }) => part);
  expect(partsFor(openTree(repositoryRoot).files).filter((part) => older.includes(part))).toEqual([]);
  expect(read('.ci/run')).not.toMatch(/--kubernetes|test:long/);
});
