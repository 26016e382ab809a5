// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { manifest, problemsWith } from '../fixture-tree.ts';
import { manifests } from './manifests.ts';

const file = 'packages/ports/package.json';

describe('package manifests and lockfile', () => {
  test.each(['^1.2.3', '~1.2.3', '1.2', '*', 'latest', '>=1', 'file:../x', 'workspace:*'])(
    '"%s" is not an exact pin',
    async (version) => {
      const text = manifest('@operator-parts/ports', { dependencies: { left: version } });
      const problems = await problemsWith(manifests, { [file]: text });
      expect(problems).toEqual([expect.objectContaining({ rule: 'exact-pins', file, line: 7 })]);
    },
  );

  test('two workspaces that pin different versions of one package disagree', async () => {
    const problems = await problemsWith(manifests, {
      'packages/kube/package.json': manifest('@operator-parts/kube', { dependencies: { left: '1.0.0' } }),
      [file]: manifest('@operator-parts/ports', { devDependencies: { left: '1.0.1' } }),
    });
    expect(problems).toEqual([expect.objectContaining({ rule: 'one-version', file })]);
  });

  test('a package without licence or module type is refused', async () => {
    const problems = await problemsWith(manifests, { [file]: '{ "name": "x" }\n' });
    expect(problems.map(({ rule }) => rule)).toEqual(['manifest-license', 'manifest-type']);
  });

  test('a package without a README is refused', async () => {
    const lonely = { 'packages/lonely/package.json': manifest('@operator-parts/lonely', {}) };
    const problems = await problemsWith(manifests, lonely);
    expect(problems).toEqual([expect.objectContaining({ rule: 'manifest-readme' })]);
  });

  test('a lockfile that records a download address is refused', async () => {
    const lock = '{\n  "packages": { "x": {\n    "resolved": "https://registry.example/x.tgz" } }\n}\n';
    const problems = await problemsWith(manifests, { 'package-lock.json': lock });
    expect(problems).toEqual([
      expect.objectContaining({ rule: 'no-registry-host', file: 'package-lock.json', line: 3 }),
    ]);
  });

  test('a lockfile that links workspaces is fine', async () => {
    const lock = '{ "node_modules/@operator-parts/kube": { "resolved": "packages/kube", "link": true } }\n';
    expect(await problemsWith(manifests, { 'package-lock.json': lock })).toEqual([]);
  });

  test('a registry in .npmrc is refused', async () => {
    const problems = await problemsWith(manifests, { '.npmrc': 'registry=https://registry.example/\n' });
    expect(problems).toEqual([expect.objectContaining({ rule: 'no-registry-host', file: '.npmrc', line: 1 })]);
  });
});
